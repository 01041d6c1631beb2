import bcrypt from 'bcryptjs';
import { commonPasswords, leastCharacters } from './common-passwords.ts';
import type { Parameter } from './parameters.ts';

const common = new Set(commonPasswords);

/** A password to be set: at least 8 characters, at most the 72 bytes that bcrypt sees, and none that is tried first by whoever guesses. */
export const newPassword: Parameter<string> = {
  read: (sent) =>
    typeof sent === 'string' && [...sent].length >= leastCharacters && !bcrypt.truncates(sent) && !common.has(sent.toLowerCase())
      ? sent
      : undefined,
  rule: `have at least ${leastCharacters} characters and at most 72 bytes, and not be one of the most common passwords`,
  schema: { type: 'string', minLength: leastCharacters, maxLength: 72 },
};
