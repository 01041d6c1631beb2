import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';

/*
 * The layering rules of docs/architecture.md. Every import counts, including types and code that is
 * loaded late. Tests may import anything.
 */

/**
 * Folders whose subfolders are layers, from top to bottom: each imports only from lower layers and
 * from itself.
 */
const layers: Record<string, string[][]> = {
  lib: [
    ['delivery', 'gateway'],
    ['senders'],
    ['bots', 'exports', 'imports', 'mcp', 'notifications', 'oauth', 'oidc', 'push'],
    ['accounts', 'feed', 'incoming-webhooks', 'operating'],
    ['messages', 'passkeys'],
    ['members', 'sign-in'],
    ['http', 'rooms', 'second-factor'],
    ['audit', 'credentials'],
    ['identity'],
    ['files', 'notices'],
    ['collections', 'reference'],
    ['api'],
    ['database', 'net'],
    ['base'],
    ['settings'],
  ],
  'packages/web/src': [
    ['app'],
    ['view'],
    ['sync'],
    ['files', 'notify'],
    ['store'],
    ['account', 'text'],
    ['service'],
    ['device', 'i18n'],
    ['style'],
  ],
  'packages/web/src/view': [
    ['admin'],
    ['settings'],
    ['room'],
    ['message'],
    ['sidebar'],
    ['lists', 'inviting'],
    ['text'],
    ['people'],
    ['emoji', 'files', 'sign-in'],
    ['shared'],
  ],
};

/** The folders and packages that each of them may import. */
const mayImport: Record<string, string[]> = {
  lib: ['rules', 'import', 'package.json'],
  functions: ['lib', 'docs', 'web'],
  admin: ['lib', 'import', 'embedded-mongodb'],
  hosts: ['lib', 'functions', 'embedded-mongodb', 'web', 'package.json'],
  tools: ['lib', 'hosts', 'embedded-mongodb', 'web', 'package.json'],
  client: [],
  'embedded-mongodb': [],
  import: ['rules'],
  rules: [],
  web: ['client', 'rules'],
};

/** The most files that a folder has. */
const mostFiles = 20;

/**
 * Folders that may be larger: one file for each function of serverless.yml, with its name.
 */
const flat = ['functions'];

const packages = readdirSync('packages').map((folder) => {
  const manifest = JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')) as {
    name: string;
    exports?: Record<string, string | Record<string, string>>;
  };
  return { folder, ...manifest };
});

const sources = ['admin', 'functions', 'hosts', 'lib', 'packages', 'tools'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => /\.(tsx?|js|css)$/.test(file) && !/node_modules|^packages\/[\w-]+\/(test|dist|examples)\//.test(file)),
);

type Import = { file: string; name: string; target: string };

/**
 * Every import: the importing file, the imported name, and the file or package that it resolves to.
 */
const imports: Import[] = sources
  .filter((file) => !file.endsWith('.css'))
  .flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:\bfrom |\bimport |\bimport\()'([^'\n]+)'/g)].map(([, name = '']) => ({
      file,
      name,
      target: name.startsWith('.') ? join(dirname(file), name) : (exportOf(name) ?? name),
    })),
  );

/** The file that a name of one of our packages resolves to by its `exports`. */
function exportOf(name: string): string | undefined {
  const found = packages.find((one) => name === one.name || name.startsWith(`${one.name}/`));
  if (!found) return undefined;
  const exported = found.exports?.[`.${name.slice(found.name.length)}`] ?? '';
  return join('packages', found.folder, typeof exported === 'string' ? exported : (exported['chat-service-source'] ?? ''));
}

const show = (list: Import[]) => [...new Set(list.map(({ file, target }) => `${file} -> ${target}`))];

/** The subfolder or file of a path directly below a folder. */
const subfolderOf = (folder: string, path: string) => path.slice(folder.length + 1).split('/')[0] ?? '';

/** The top-level folder of a path, or its package. */
const topOf = (path: string) => /^packages\/([^/]+)/.exec(path)?.[1] ?? path.split('/')[0] ?? '';

describe('the subfolders', () => {
  it.each(Object.entries(layers))('the subfolders of %s import only from lower layers', (folder, order) => {
    const within = imports.filter(({ file, target }) => [file, target].every((path) => path.startsWith(`${folder}/`)));
    const known = order.flat();
    const files = sources.filter((file) => file.startsWith(`${folder}/`));
    expect([...new Set(files.map((file) => subfolderOf(folder, file)))].sort()).toEqual(known.toSorted());
    const layerOf = (path: string) => order.findIndex((rooms) => rooms.includes(subfolderOf(folder, path)));
    const isUpward = ({ file, target }: Import) =>
      subfolderOf(folder, file) !== subfolderOf(folder, target) && layerOf(file) >= layerOf(target);
    expect(show(within.filter(isUpward))).toEqual([]);
  });

  it('the parts of a folder do not import each other in a circle, at any depth', () => {
    const circles = [...edgesByFolder()].flatMap(([folder, edges]) => circlesOf(edges).map((parts) => `${folder}: ${parts}`));
    expect(circles).toEqual([]);
  });

  it(`a folder has at most ${mostFiles} files`, () => {
    const counts = Object.entries(Object.groupBy(sources, dirname)).map(([folder, files = []]) => ({
      folder,
      count: files.length,
    }));
    expect(counts.filter(({ folder, count }) => count > mostFiles && !flat.includes(folder))).toEqual([]);
  });
});

describe('the top-level folders and packages', () => {
  it('each top-level folder and each package imports only the allowed ones', () => {
    const between = imports.filter(({ file, target }) => topOf(file) !== topOf(target));
    const isOurs = ({ target }: Import) => [...Object.keys(mayImport), 'docs', 'package.json', 'test'].includes(topOf(target));
    expect(show(between.filter((one) => isOurs(one) && !mayImport[topOf(one.file)]?.includes(topOf(one.target))))).toEqual([]);
  });

  it('a package is imported by a name of its exports, or by a file beside its package.json', () => {
    const inside = /^packages\/[^/]+\/.+\//;
    const foreign = imports.filter(({ file, target }) => inside.test(target) && topOf(file) !== topOf(target));
    expect(foreign.length).toBeGreaterThan(100);
    expect(show(foreign.filter(({ name }) => name.startsWith('.')))).toEqual([]);
    const unknown = imports.filter(({ target }) => packages.some(({ folder }) => target === `packages/${folder}`));
    expect(show(unknown)).toEqual([]);
  });

  it('only lib/ uses its collections and the driver; the bench fills a database itself', () => {
    const outside = imports.filter(({ file }) => !/^(lib\/(?!http\/)|packages\/|tools\/bench\/)/.test(file));
    expect(show(outside.filter(({ target }) => target === 'mongodb' || target.startsWith('lib/collections/')))).toEqual([]);
    expect(show(imports.filter(({ file, target }) => file.startsWith('packages/') && target === 'mongodb'))).toEqual([]);
  });
});

/** For each folder, the imports between its parts. */
function edgesByFolder(): Map<string, Map<string, Set<string>>> {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const { file, target } of imports) {
    if (!sources.includes(target)) continue;
    const [from, to] = [file.split('/'), target.split('/')];
    const at = from.findIndex((segment, index) => segment !== to[index]);
    const [part, other] = [from[at], to[at]];
    if (part === undefined || other === undefined) continue;
    const folder = from.slice(0, at).join('/') || '.';
    const edges = folders.get(folder) ?? new Map<string, Set<string>>();
    folders.set(folder, edges.set(part, (edges.get(part) ?? new Set()).add(other)));
  }
  return folders;
}

/** The parts that import themselves indirectly, without those that only import such parts. */
function circlesOf(edges: Map<string, Set<string>>): string[] {
  const reachable = (start: string) => {
    const found = new Set(edges.get(start));
    for (const part of found) for (const next of edges.get(part) ?? []) found.add(next);
    return found;
  };
  const circular = [...edges.keys()].filter((part) => reachable(part).has(part)).sort();
  return circular.length > 0 ? [circular.join(', ')] : [];
}
