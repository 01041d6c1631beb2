import bcrypt from 'bcryptjs';
import commonPasswords from './common-passwords.json' with { type: 'json' };
import type { Parameter } from './parameters.ts';

const least = 8;

// OWASP ASVS 5.0, 6.2.4: of the list of @zxcvbn-ts/language-common, the most common first and in lower case, the first 3 000 that are long
// enough to be chosen. A copy, because the whole list makes a bundle twice as large.
const common = new Set(commonPasswords);

/** A password to be set: at least 8 characters, at most the 72 bytes that bcrypt sees, and none that is tried first by whoever guesses. */
export const newPassword: Parameter<string> = {
  read: (sent) =>
    typeof sent === 'string' && [...sent].length >= least && !bcrypt.truncates(sent) && !common.has(sent.toLowerCase())
      ? sent
      : undefined,
  rule: `have at least ${least} characters and at most 72 bytes, and not be one of the most common passwords`,
  schema: { type: 'string', minLength: least, maxLength: 72 },
};
