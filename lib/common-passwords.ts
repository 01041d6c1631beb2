import { dictionary } from '@zxcvbn-ts/language-common';

/** The fewest characters of a password. */
export const leastCharacters = 8;

/**
 * The 3 000 most common passwords of those that are long enough to be chosen (OWASP ASVS 5.0, 6.2.4), in lower case. The list that they
 * are taken from is ten times as long: a bundle has only what is exported here, by `deploy/esbuild-plugins.ts`.
 */
export const commonPasswords: string[] = dictionary['passwords-common']
  .filter((password) => password.length >= leastCharacters)
  .slice(0, 3_000);
