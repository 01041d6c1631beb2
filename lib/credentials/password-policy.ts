import bcrypt from 'bcryptjs';
import { anyText, type Parameter } from '../api/parameters.ts';
import { normalisePassword } from './bcrypt.ts';
import { leastCharacters, readCommonPasswords } from './common-passwords.ts';

// Read when the first password is set, which most processes never see.
let common: Set<string> | undefined;
function isCommon(password: string): boolean {
  common ??= new Set(readCommonPasswords());
  return common.has(password.toLowerCase());
}

/**
 * A new password: at least 8 characters, at most the 72 bytes that bcrypt sees, and not one of those that are tried
 * first by guessing.
 */
export const newPassword: Parameter<string> = {
  read: (sent) => {
    const typed = anyText.read(sent);
    if (typed === undefined) return undefined;
    const password = normalisePassword(typed);
    if ([...password].length < leastCharacters) return undefined;
    return bcrypt.truncates(password) || isCommon(password) ? undefined : password;
  },
  ...(anyText.fault && { fault: anyText.fault }),
  about: 'The new password of the account.',
  rule: `have at least ${leastCharacters} characters and at most 72 bytes, and not be one of the most common passwords`,
  schema: { type: 'string', minLength: leastCharacters, maxLength: 72 },
};
