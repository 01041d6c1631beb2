import { dictionary } from '@zxcvbn-ts/language-common';
import bcrypt from 'bcryptjs';
import type { Parameter } from './parameters.ts';

const least = 8;

// OWASP ASVS 5.0, 6.2.4: the first 3 000 of those that are long enough to be chosen. The list is in lower case, the most common first.
const common = new Set(dictionary['passwords-common'].filter((password) => password.length >= least).slice(0, 3_000));

/** A password to be set: at least 8 characters, at most the 72 bytes that bcrypt sees, and none that is tried first by whoever guesses. */
export const newPassword: Parameter<string> = {
  read: (sent) =>
    typeof sent === 'string' && [...sent].length >= least && !bcrypt.truncates(sent) && !common.has(sent.toLowerCase())
      ? sent
      : undefined,
  rule: `have at least ${least} characters and at most 72 bytes, and not be one of the most common passwords`,
  schema: { type: 'string', minLength: least, maxLength: 72 },
};
