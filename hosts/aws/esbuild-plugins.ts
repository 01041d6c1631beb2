import type { Plugin } from 'esbuild';
import { leastCharacters, readCommonPasswords } from '../../lib/accounts/common-passwords.ts';

/** Puts what `lib/accounts/common-passwords.ts` exports into a bundle, instead of the package from which it takes it. */
const commonPasswords: Plugin = {
  name: 'common-passwords',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]lib[\\/]common-passwords\.ts$/ }, () => ({
      contents: `
        export const leastCharacters = ${leastCharacters};
        export const readCommonPasswords = () => ${JSON.stringify(readCommonPasswords())};
      `,
    }));
  },
};

export default [commonPasswords];
