import { Operation, present } from '../operation.ts';
import { decodeStored } from '../values/bson.ts';
import type { Collection, CollectionIndex } from './collection.ts';
import type { CopyCheck } from './file/backup.ts';
import type { DatabaseFile } from './file/file.ts';
import { wordCount } from './index/text-index.ts';
import { scanTable } from './scan.ts';

/** What is wrong with a collection, in sentences, and how many keys each index has. */
type CheckResult = {
  readonly documents: number;
  readonly keys: ReadonlyMap<string, number>;
  readonly errors: readonly string[];
};

/** Reads all documents and looks each of their keys up, in every index; `full` also has SQLite check its pages. */
export function checkCollection(file: DatabaseFile, collection: Collection, full: boolean, operation: Operation): CheckResult {
  const errors: string[] = [];
  const expected = new Map<CollectionIndex, number>(collection.indexes.map((index) => [index, 0]));
  let documents = 0;
  for (const { rid, document } of present(scanTable({ file, collection, backward: false, operation }))) {
    documents++;
    try {
      const doc = decodeStored(document);
      for (const index of collection.indexes) {
        const { keys } = index.keysOf(document, () => doc);
        const count = index.kind === 'text' ? keys.reduce((sum, words) => sum + wordCount(words.toString()), 0) : keys.length;
        expected.set(index, (expected.get(index) as number) + count);
        if (!keys.every((key) => index.has(key, rid))) errors.push(`index ${index.name} lacks keys of document ${rid}`);
      }
    } catch (error) {
      errors.push(`document ${rid}: ${(error as Error).message}`);
    }
  }
  const keys = new Map(collection.indexes.map((index) => [index.name, index.count()]));
  for (const [{ name }, count] of expected)
    if (keys.get(name) !== count) errors.push(`index ${name} has ${keys.get(name)} keys instead of ${count}`);
  if (full) errors.push(...faultsOfPages(file));
  return { documents, keys, errors };
}

/** So many faults are told; more of them help nobody. */
const mostTold = 20;

/** Checks a whole file: its pages and how many documents and ids each collection has; `full` each document and its keys as well. */
export function checkFile(file: DatabaseFile, collections: readonly Collection[], full: boolean): CopyCheck {
  const errors = faultsOfPages(file);
  const documents: Record<string, number> = {};
  for (const collection of collections) {
    const { namespace } = collection;
    try {
      const ids = collection.indexes.find(({ name }) => name === '_id_')?.count();
      documents[namespace] = collection.count();
      if (ids !== documents[namespace]) errors.push(`${namespace} has ${documents[namespace]} documents and ${ids ?? 'no'} ids`);
      if (!full) continue;
      const found = checkCollection(file, collection, false, new Operation());
      errors.push(...found.errors.map((error) => `${namespace}: ${error}`));
    } catch (error) {
      errors.push(`${namespace}: ${(error as Error).message}`);
    }
    if (errors.length > mostTold) break;
  }
  return { documents, errors: errors.slice(0, mostTold) };
}

function faultsOfPages(file: DatabaseFile): string[] {
  const rows = file.prepare(`PRAGMA integrity_check(${mostTold})`).all() as unknown as [string][];
  return rows.map(([line]) => line.trim()).filter((line) => line !== 'ok');
}
