import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { readCommonPasswords } from '../../../lib/credentials/common-passwords.ts';
import { newPassword } from '../../../lib/credentials/password-policy.ts';

describe('a new password', () => {
  it('a new password is compared with a list whose package is unloaded afterwards, with all of its dependencies', () => {
    expect(readCommonPasswords()).toContain('password1');
    const { cache } = createRequire(import.meta.url);
    expect(Object.keys(cache).filter((file) => file.includes('zxcvbn'))).toEqual([]);
  });

  it('a new password is not one of the 3 000 most common ones of 8 or more characters, regardless of case', () => {
    const commonPasswords = readCommonPasswords();
    expect(commonPasswords).toHaveLength(3_000);
    expect(commonPasswords.filter((password) => newPassword.read(password.toUpperCase()) !== undefined)).toEqual([]);
    expect(newPassword.read('Password')).toBeUndefined();
    expect(newPassword.read('correct horse')).toBe('correct horse');
  });
});
