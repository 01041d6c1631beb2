import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { SiteFile } from './site.ts';

const folder = import.meta.dirname;
const target = join(folder, 'dist');
const configFile = join(folder, 'vite.config.ts');

/**
 * Builds the web client: `dist/page.json` and `dist/files.json`, which the functions `web` and
 * `web-asset` serve.
 */
export async function buildSite(): Promise<void> {
  // Whatever the caller runs in: otherwise the pages would have the paths of this machine, and no
  // service worker.
  const { NODE_ENV: mode } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await build();
  } finally {
    if (mode === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = mode;
  }
}

async function build(): Promise<void> {
  const { build: bundle } = await import('vite');
  await bundle({ configFile, logLevel: 'warn' });
  const files = Object.fromEntries(
    globSync('assets/*', { cwd: join(target, 'site') }).map((file) => [`/${file}`, fileOf(join(target, 'site', file))]),
  );
  const first = await buildAlone('first', {});
  const firstPath = `/assets/first-${hashOf(readFileSync(first)).slice(0, 8)}.js`;
  files[firstPath] = fileOf(first);
  // Before all others, so that it is asked for first.
  const page = readFileSync(join(target, 'site/index.html'), 'utf8').replace(
    '<script ',
    `<script async blocking="render" src="${firstPath}"></script>\n  <script `,
  );
  const version = hashOf(JSON.stringify([page, files])).slice(0, 22);
  files['/sw.js'] = fileOf(
    await buildAlone('sw', { 'globalThis.builtSite': JSON.stringify({ version, files: keptOffline(Object.keys(files)) }) }),
  );
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'files.json'), JSON.stringify(files));
  writeFileSync(join(target, 'page.json'), JSON.stringify(page));
}

/**
 * The files that the worker loads ahead. Fonts come with the letters that need them, and stay in
 * the browser's cache. No page shows their licence.
 */
const keptOffline = (paths: readonly string[]) => paths.filter((path) => !/\.(woff2|txt)$/.test(path));

/** Builds a script that shares no file with the page; returns where it is. */
async function buildAlone(name: string, define: Record<string, string>): Promise<string> {
  const { build: bundle } = await import('vite');
  const outDir = join(target, name);
  const output = { format: 'iife', entryFileNames: `${name}.js`, codeSplitting: false } as const;
  const build = { outDir, rolldownOptions: { input: join(folder, `src/app/${name}.ts`), output } };
  await bundle({ configFile, logLevel: 'warn', define, build });
  return join(outDir, `${name}.js`);
}

const hashOf = (content: string | Buffer) => createHash('sha256').update(content).digest('base64url');

/** Builds it if its sources are newer, as after `git pull` without `npm ci`. */
export async function buildIfStale(): Promise<void> {
  const sources = globSync(['src/**/*.*', 'index.html', '*.ts', '../{client,rules}/src/**/*.ts'], { cwd: folder });
  const builtAt = statSync(join(target, 'page.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (sources.some((file) => statSync(join(folder, file)).mtimeMs > builtAt)) await buildSite();
}

/** Whether what builds it is installed: `npm ci --omit=dev` leaves it out. */
export function canBuild(): boolean {
  try {
    import.meta.resolve('vite');
    return true;
  } catch {
    return false;
  }
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

function fileOf(path: string): SiteFile {
  const content = readFileSync(path);
  const type = types[extname(path)];
  if (type === undefined) throw new Error(`packages/web/build.ts does not know the type of ${path}`);
  // A font is compressed already.
  if (type === types['.woff2']) return { type, bytes: content.toString('base64') };
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  return {
    type,
    br: brotliCompressSync(content, { params }).toString('base64'),
    gzip: gzipSync(content, { level: 9 }).toString('base64'),
  };
}

// `npm ci` and `npm run build:web`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (canBuild()) {
    rmSync(target, { recursive: true, force: true });
    await buildSite();
  } else process.stderr.write('The web client is not built: that needs the development dependencies (npm ci).\n');
}
