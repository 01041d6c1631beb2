import { createRequire } from 'node:module';

/** The minimum number of characters in a password. */
export const leastCharacters = 8;

/**
 * The 3,000 most common passwords with enough characters (OWASP ASVS 5.0, 6.2.4), in lower case.
 * Their package has ten times as many and more data, so it is unloaded again.
 * `hosts/aws/bundles/bundle.ts` puts only this list into a bundle.
 */
export function readCommonPasswords(): string[] {
  const require = createRequire(import.meta.url);
  const loadedBefore = new Set(Object.keys(require.cache));
  const { dictionary } = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
  for (const file of Object.keys(require.cache)) if (!loadedBefore.has(file)) delete require.cache[file];
  return dictionary['passwords-common'].filter((password) => password.length >= leastCharacters).slice(0, 3_000);
}
