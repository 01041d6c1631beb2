import { createRequire } from 'node:module';

/** The fewest characters of a password. */
export const leastCharacters = 8;

/**
 * The 3 000 most common passwords of those that are long enough to be chosen (OWASP ASVS 5.0, 6.2.4), in lower case. The package that they
 * are taken from has ten times as many, and much else: it is let go again, and a bundle has only what is here, by `deploy/esbuild-plugins.ts`.
 */
export function readCommonPasswords(): string[] {
  const require = createRequire(import.meta.url);
  const name = '@zxcvbn-ts/language-common';
  const { dictionary } = require(name) as typeof import('@zxcvbn-ts/language-common');
  delete require.cache[require.resolve(name)];
  return dictionary['passwords-common'].filter((password) => password.length >= leastCharacters).slice(0, 3_000);
}
