import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';

/** The layers of `lib/`, from top to bottom: each part imports only from lower layers and from itself. */
const layers = [
  ['gateway', 'senders'],
  ['bots', 'notifications', 'oidc', 'push'],
  ['accounts', 'feed', 'imports', 'incoming-webhooks', 'operating'],
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
];

/** What each top-level folder may import, besides packages and itself. */
const mayImport: Record<string, string[]> = {
  lib: ['packages', 'package.json'],
  functions: ['lib', 'docs', 'packages'],
  admin: ['lib'],
  hosts: ['lib', 'functions', 'packages', 'package.json'],
  packages: ['lib'],
  tools: ['lib', 'hosts', 'packages', 'package.json'],
};

const sources = Object.keys(mayImport).flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.ts') && !/node_modules|\/(test|dist|examples)\//.test(file)),
);

/** Every import, including those of types: the importing file, and what it imports. */
const imports = sources.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:\bfrom |\bimport |\bimport\()'([^'\n]+)'/g)].map(([, name = '']) => ({
    file,
    name: name.startsWith('.') ? join(dirname(file), name) : name,
  })),
);

const show = (list: typeof imports) => list.map(({ file, name }) => `${file} -> ${name}`);

describe('the folders', () => {
  it('the folders of lib/ import only from lower layers', () => {
    const partOf = (path: string) => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
    const layerOf = (path: string) => layers.findIndex((parts) => parts.includes(partOf(path)));
    const within = imports.filter(({ file, name }) => file.startsWith('lib/') && name.startsWith('lib/'));
    expect(within.length).toBeGreaterThan(100);
    expect([...new Set(within.map(({ file }) => partOf(file)))].filter((part) => !layers.flat().includes(part))).toEqual([]);
    const isDownwards = ({ file, name }: (typeof imports)[number]) =>
      partOf(file) === partOf(name) || layerOf(file) < layerOf(name);
    expect(show(within.filter((one) => !isDownwards(one)))).toEqual([]);
  });

  it('the folders import only from the folders that they may use', () => {
    const folderOf = (path: string) => path.split('/')[0] ?? '';
    const between = imports.filter(({ file, name }) => /^(\w+\/|package\.json)/.test(name) && folderOf(file) !== folderOf(name));
    const local = between.filter(
      ({ name }) => name === 'package.json' || Object.hasOwn(mayImport, folderOf(name)) || folderOf(name) === 'docs',
    );
    expect(show(local.filter(({ file, name }) => !mayImport[folderOf(file)]?.includes(folderOf(name))))).toEqual([]);
  });

  it('the folders outside lib/ use neither its collections nor the driver, except the bench, which measures and fills the database itself', () => {
    const outside = imports.filter(({ file }) => !/^(lib\/(?!http\/)|packages\/|tools\/bench\/)/.test(file));
    expect(show(outside.filter(({ name }) => name === 'mongodb' || name.startsWith('lib/collections/')))).toEqual([]);
  });
});
