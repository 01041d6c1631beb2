import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { leastCharacters, readCommonPasswords } from '../../lib/credentials/common-passwords.ts';
import { readFiles, readPage } from '../../packages/web/site.ts';

const source = fileURLToPath(import.meta.resolve('../../lib/credentials/common-passwords.ts'));

/** Puts the exports of `lib/credentials/common-passwords.ts` into a bundle as literals, instead of the package they come from. */
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

const site = fileURLToPath(import.meta.resolve('../../packages/web/site.ts'));

/** Puts the built web client into the bundles of the functions that serve it. */
const webClient: Plugin = {
  name: 'web-client',
  setup({ onLoad }) {
    onLoad({ filter: /site\.ts$/ }, ({ path }) => {
      if (path !== site) return undefined;
      const [page, files] = [readPage(), readFiles()];
      if (page === undefined || files === undefined) throw new Error('The web client is not built: npm run build:web');
      return {
        contents: `
          export const readPage = () => ${JSON.stringify(page)};
          export const readFiles = () => (${JSON.stringify(files)});
        `,
      };
    });
  },
};

/** Lets the modules here take the place of those in `lib/`, and of the package, with the same names. */
const filesOfAws: Plugin = {
  name: 'files-of-aws',
  setup({ onResolve }) {
    onResolve({ filter: /^@aws-sdk\/credential-providers$/ }, () => ({
      path: fileURLToPath(import.meta.resolve('./credential-providers.ts')),
    }));
    onResolve(
      {
        filter:
          /^\.{1,2}\/(?:(?:notices|settings)\/)?(connection-string|smtp-url|secret-keys|oidc-secret|cloudfront-secrets|carrier)\.ts$/,
      },
      ({ path }) => ({
        path: fileURLToPath(import.meta.resolve(`./${basename(path)}`)),
      }),
    );
  },
};

export default [commonPasswords, webClient, filesOfAws];
