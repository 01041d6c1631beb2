import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { leastCharacters, readCommonPasswords } from '../../lib/accounts/common-passwords.ts';

const source = fileURLToPath(import.meta.resolve('../../lib/accounts/common-passwords.ts'));
const fromSsm = fileURLToPath(import.meta.resolve('./connection-string.ts'));

/** Puts the exports of `lib/accounts/common-passwords.ts` into a bundle as literals, instead of the package they come from. */
const commonPasswords: Plugin = {
  name: 'common-passwords',
  setup({ onLoad }) {
    onLoad({ filter: /common-passwords\.ts$/ }, ({ path }) =>
      path === source
        ? {
            contents: `
              export const leastCharacters = ${leastCharacters};
              export const readCommonPasswords = () => ${JSON.stringify(readCommonPasswords())};
            `,
          }
        : undefined,
    );
  },
};

/** Lets `hosts/aws/connection-string.ts` take the place of `lib/database/connection-string.ts`. */
const connectionString: Plugin = {
  name: 'connection-string',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/connection-string\.ts$/ }, () => ({ path: fromSsm }));
  },
};

export default [commonPasswords, connectionString];
