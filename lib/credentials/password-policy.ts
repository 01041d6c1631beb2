import bcrypt from 'bcryptjs';
import { anyText, type Parameter } from '../api/parameters.ts';
import { normalisePassword } from './bcrypt.ts';
import { leastCharacters, readCommonPasswords } from './common-passwords.ts';

// Loaded with the first new password: most processes never need it.
let common: Set<string> | undefined;
function isCommon(password: string): boolean {
  common ??= new Set(readCommonPasswords());
  return common.has(password.toLowerCase());
}

/**
 * A new password: at least 8 characters, at most 72 bytes (bcrypt ignores the rest), and not among
 * the most common passwords.
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
