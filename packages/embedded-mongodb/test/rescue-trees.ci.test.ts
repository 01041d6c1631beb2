import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { pageType } from '../src/rescue/cells.ts';
import { findCollections } from '../src/rescue/found-catalog.ts';
import { openPages } from '../src/rescue/page-source.ts';
import { Trees } from '../src/rescue/trees.ts';
import { startDatabase } from '../src/server.ts';
import { connect, freshDirectory } from './support/database.ts';
import { rescue } from './support/rescued.ts';

const pageBytes = 4096;
const fileName = 'database.sqlite';

/** The pages of a tree: its first page, and the others in an order that does not change. */
type TreePages = { readonly root: number; readonly others: readonly number[] };
type CollectionPages = { readonly documents: TreePages; readonly ids: TreePages };
type PagesByName = Record<'things' | 'others', CollectionPages> & {
  /** A leaf of an index of something else than ids. */
  readonly fieldIndexLeaf: number | undefined;
};

const texts = (length: number, more: (n: number) => Document = () => ({})): Document[] =>
  Array.from({ length }, (_, n) => ({ n, text: 'text '.repeat(20), ...more(n) }));

/**
 * The files of a database with two collections, closed and then damaged by `change`. Without
 * checksums, only the content of a page shows that it is damaged. If the other collection is small,
 * the two also have indexes of different fields.
 */
async function damagedDirectory(
  documents: readonly Document[],
  change: (write: PageWriter, pages: PagesByName) => void,
  { isIndexed = true, hasSums = false, isOtherSmall = false } = {},
): Promise<string> {
  const dataDir = freshDirectory();
  const database = await startDatabase({ dataDir });
  const db = connect(database.uri).db('test');
  for (const name of ['things', 'others']) {
    const field = isOtherSmall ? name : 'n';
    if (isIndexed) await db.collection(name).createIndex({ [field]: 1 });
    const own = isOtherSmall && name === 'others' ? documents.slice(0, 10) : documents;
    await db.collection(name).insertMany(own.map((document) => ({ ...document, [field]: document.n })));
  }
  await database.close();
  const pages = pagesOf(dataDir);
  const file = readFileSync(join(dataDir, fileName));
  change(pageWriter(file), pages);
  if (!hasSums) {
    const directory = freshDirectory();
    writeFileSync(join(directory, fileName), file);
    return directory;
  }
  writeFileSync(join(dataDir, fileName), file);
  return dataDir;
}

function pagesOf(dataDir: string): PagesByName {
  const source = openPages(dataDir);
  const treeOf = (root: number, walk: (trees: Trees) => void): TreePages => {
    const trees = new Trees(source);
    walk(trees);
    return { root, others: [...trees.claimed].filter((page) => page !== root) };
  };
  const walkIds = (trees: Trees, root: number) =>
    trees.readEntries(
      root,
      () => {},
      () => {},
    );
  const collections = findCollections(source);
  const found = collections.map(({ name, documents = 0, ids = 0 }) => [
    name,
    {
      documents: treeOf(documents, (trees) => trees.leavesOf(documents)),
      ids: treeOf(ids, (trees) => walkIds(trees, ids)),
    },
  ]);
  const trees = new Trees(source);
  for (const { ids = 0 } of collections) walkIds(trees, ids);
  const fieldIndexLeaf = trees.strayPages([pageType.indexLeaf]).at(-1);
  source.close();
  return { ...Object.fromEntries(found), fieldIndexLeaf };
}

type PageWriter = {
  /** Fills a page with zeros. */
  clear(page: number | undefined): void;
  /** Writes the content of a page to the place of another one. */
  copy(page: number | undefined, target: number): void;
};

const pageWriter = (file: Buffer): PageWriter => ({
  clear: (page = 0) => file.fill(0, (page - 1) * pageBytes, page * pageBytes),
  copy: (page = 0, target) => file.copy(file, (target - 1) * pageBytes, (page - 1) * pageBytes, page * pageBytes),
});

describe('a rescue of damaged trees', () => {
  it.each([true, false])(
    'a rescue finds all documents if a page of a table stands in the place of its first page and the index of ids is lost (checksums: %s)',
    async (hasSums) => {
      const directory = await damagedDirectory(
        texts(300),
        (write, { things: { documents, ids } }) => {
          write.copy(documents.others[3], documents.root);
          write.clear(ids.root);
        },
        { hasSums },
      );
      expect(rescue(directory)).toMatchObject({ found: { size: 600 }, isExact: false });
    },
  );

  it('a rescue says that it may not know all losses if a page of a table stands in the place of its first page', async () => {
    const directory = await damagedDirectory(texts(300), (write, { things: { documents, ids } }) => {
      write.copy(documents.others[3], documents.root);
      for (const page of documents.others) write.clear(page);
      write.clear(ids.root);
    });
    const { found, lost, isExact } = rescue(directory);
    expect(found.size).toBeLessThan(600);
    expect([lost, isExact]).toEqual([0, false]);
  });

  it('a rescue says that it may not know all losses if the index of ids lost documents without a sign', async () => {
    const directory = await damagedDirectory(texts(300), (write, { things: { documents, ids } }) => {
      write.copy(ids.others[0], ids.root);
      write.clear(documents.root);
    });
    expect(rescue(directory).isExact).toBe(false);
  });

  it('a rescue trusts no index of ids that lacks documents of its collection', async () => {
    const directory = await damagedDirectory(texts(300), (write, { things: { documents, ids } }) => {
      write.copy(ids.others[0], ids.root);
      write.clear(documents.others.at(-2));
    });
    const { found, isExact } = rescue(directory);
    expect(found.size).toBeLessThan(600);
    expect(isExact).toBe(false);
  });

  it.each([true, false])(
    'a rescue finds all documents of two collections with the same ids if one index of ids is lost (other index: %s)',
    async (isIndexed) => {
      const directory = await damagedDirectory(
        texts(300, (n) => ({ _id: n })),
        (write, { things: { ids } }) => write.clear(ids.root),
        { isIndexed },
      );
      expect(rescue(directory).found.size).toBe(600);
    },
  );

  it('a rescue gives documents without indexed fields to the collection of other documents on their page', async () => {
    const withHash = texts(300, (n) => ({ _id: createHash('sha256').update(`${n}`).digest('hex') }));
    const directory = await damagedDirectory(
      withHash,
      (write, { things: { documents, ids } }) => {
        write.clear(documents.root);
        write.clear(ids.others[0]);
      },
      { isIndexed: false },
    );
    expect(rescue(directory).found.size).toBe(600);
  });

  it('a rescue gives the documents of a whole table to no similar collection', async () => {
    const directory = await damagedDirectory(texts(300), (write, { things, others }) => {
      write.clear(things.ids.root);
      write.clear(others.ids.root);
      write.clear(others.documents.others[0]);
    });
    const { found, isExact } = rescue(directory);
    expect(found.size).toBeGreaterThan(560);
    expect(found.size).toBeLessThan(600);
    expect(isExact).toBe(false);
  });

  it('a rescue finds all documents if a page of another index stands in the place of a page of the index of ids', async () => {
    const directory = await damagedDirectory(texts(300), (write, { things: { documents, ids }, fieldIndexLeaf }) => {
      // The pages of its lowest keys, which are higher than those of numbers.
      write.copy(fieldIndexLeaf, ids.others.at(-1) as number);
      write.clear(documents.root);
    });
    expect(rescue(directory).found.size).toBe(600);
  });

  it('a rescue doubles no documents if the index of ids of another collection lists them', async () => {
    const directory = await damagedDirectory(texts(300), (write, { things, others }) => {
      write.copy(things.ids.others[0], others.ids.root);
      write.clear(things.ids.root);
    });
    expect(rescue(directory).found.size).toBe(600);
  });

  it('a rescue doubles no documents of a lost table if the index of ids of another collection lists them', async () => {
    const directory = await damagedDirectory(
      texts(300),
      (write, { things, others }) => {
        write.copy(things.ids.others[0], others.ids.root);
        write.clear(things.documents.root);
      },
      { hasSums: true, isOtherSmall: true },
    );
    expect(rescue(directory).found.size).toBe(310);
  });

  it('a rescue finds all documents if the first page of a table stands in the place of that of another one', async () => {
    const directory = await damagedDirectory(texts(300), (write, { things, others }) =>
      write.copy(others.documents.root, things.documents.root),
    );
    expect(rescue(directory).found.size).toBe(600);
  });
});
