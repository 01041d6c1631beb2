import { existsSync, readFileSync } from 'node:fs';

/**
 * One file of the built client, in base64: as it is, or compressed twice, as browsers accept Brotli
 * only over https and from localhost.
 */
export type SiteFile = { type: string } & ({ br: string; gzip: string } | { bytes: string });

const built = new URL('dist/', import.meta.url);

/*
 * The output of `packages/web/build.ts`. In a bundle for Lambda, hosts/aws/bundles/bundle.ts
 * replaces these functions by the content itself.
 */

/**
 * The page, in which the server replaces `<!--settings-->`; undefined where the client was not
 * built.
 */
export const readPage = (): string | undefined => read('page.json') as string | undefined;

/** The files that the page asks for, by path; undefined where the client was not built. */
export const readFiles = (): Record<string, SiteFile> | undefined => read('files.json') as Record<string, SiteFile> | undefined;

function read(file: string): unknown {
  const path = new URL(file, built);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
