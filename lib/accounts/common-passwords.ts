import { createRequire } from 'node:module';

/** The fewest characters of a password. */
export const leastCharacters = 8;

/**
 * The 3 000 most common passwords of those that are long enough to be chosen (OWASP ASVS 5.0, 6.2.4), in lower case. The package that they
 * are taken from has ten times as many, and much else: it is let go again, and a bundle has only what is here, by `hosts/aws/esbuild-plugins.ts`.
 */
export function readCommonPasswords(): string[] {
  const require = createRequire(import.meta.url);
  const loadedBefore = new Set(Object.keys(require.cache));
  const { dictionary } = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
  for (const file of Object.keys(require.cache)) if (!loadedBefore.has(file)) delete require.cache[file];
  return dictionary['passwords-common'].filter((password) => password.length >= leastCharacters).slice(0, 3_000);
}
