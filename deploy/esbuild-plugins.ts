import type { Plugin } from 'esbuild';
import * as values from '../lib/common-passwords.ts';

/** Puts what `lib/common-passwords.ts` exports into a bundle, instead of the package from which it takes it. */
const commonPasswords: Plugin = {
  name: 'common-passwords',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]lib[\\/]common-passwords\.ts$/ }, () => ({
      contents: Object.entries(values)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n'),
    }));
  },
};

export default [commonPasswords];
