import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, it } from 'vitest';
import commonPasswords from '../../lib/common-passwords.json' with { type: 'json' };
import { newPassword } from '../../lib/new-password.ts';

describe('a new password', () => {
  it('is none of the 3 000 most common ones of 8 or more characters, whatever their case', () => {
    const listed = dictionary['passwords-common'].filter((password) => password.length >= 8).slice(0, 3_000);
    expect(commonPasswords).toEqual(listed);
    expect(newPassword.read('Password')).toBeUndefined();
    expect(newPassword.read('correct horse')).toBe('correct horse');
  });
});
