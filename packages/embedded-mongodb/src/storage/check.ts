import type { Operation } from '../operation.ts';
import { decodeStored } from '../values/bson.ts';
import { damaged } from '../values/errors.ts';
import type { Collection } from './collection.ts';
import type { CopyCheck } from './file/backup.ts';
import { isDamage, whatIsDamaged } from './file/damage.ts';
import type { DatabaseFile } from './file/file.ts';
import { limitClause, smallDocument } from './file/sqlite.ts';
import { EntrySums, WordSums } from './index/entry-sums.ts';
import type { StoredIndex } from './index/stored-index.ts';
import type { TextIndex } from './index/text-index.ts';
import { type Entry, entriesAfter, type Scan } from './scan.ts';
import { storedDocument } from './stored-document.ts';

/** The faults of a collection as sentences, and the number of keys of each index. */
type CheckResult = {
  readonly documents: number;
  readonly keys: ReadonlyMap<string, number>;
  readonly errors: readonly string[];
};

/** Receives the name of the current step repeatedly while a check runs. */
export type CheckProgress = (what: string) => void;

/** Limit of reported faults. */
const mostErrors = 20;

/** Rows per query. */
const rowsPerChunk = 100;
const entriesPerChunk = 1_000;

/** Number of row ranges in which documents with missing keys are identified one by one. */
const mostRanges = 3;

/** The expected entries of one index. */
type ExpectedIndex = { readonly index: StoredIndex; readonly sums: EntrySums; count: number };

/**
 * Decodes all documents and compares their keys with the entries of each index. With `full`, SQLite
 * also checks its pages.
 */
export function checkCollection(
  file: DatabaseFile,
  collection: Collection,
  full: boolean,
  operation: Operation,
  progress: CheckProgress = () => {},
): CheckResult {
  const errors: string[] = [];
  const expected = collection.ordered.map((index): ExpectedIndex => ({ index, sums: new EntrySums(), count: 0 }));
  const words = new WordSums();
  let [documents, isComplete] = [0, true];
  for (const { rid, document } of rowsOf(file, collection)) {
    if (++documents % entriesPerChunk === 0) {
      progress(`${collection.namespace}: ${documents} documents`);
      operation.isDue();
    }
    try {
      addKeys(storedDocument(document, collection.namespace, rid), rid, { expected, text: collection.text, words });
    } catch (error) {
      errors.push(`document ${rid}: ${messageOf(error)}`);
      for (const { sums } of expected) sums.forget(rid);
      isComplete = false;
      if (errors.length >= mostErrors) return { documents, keys: new Map(), errors };
    }
  }
  const scan = { file, collection, backward: false, operation };
  const keys = new Map<string, number>();
  for (const one of expected) {
    progress(`${collection.namespace}: index ${one.index.name}`);
    errors.push(...compare(one, scan, isComplete));
    keys.set(one.index.name, one.index.count());
  }
  if (collection.text) {
    progress(`${collection.namespace}: index ${collection.text.name}`);
    const stored = collection.text.wordSums();
    keys.set(collection.text.name, stored.count);
    if (isComplete && !stored.equals(words)) errors.push(wrongWords(collection.text, stored, words));
  }
  if (full) errors.push(...faultsOfPages(file));
  return { documents, keys, errors };
}

/**
 * Adds the keys of a document to the sums of all indexes. If the document is damaged, adds nothing.
 */
function addKeys(
  document: Buffer,
  rid: number,
  { expected, text, words }: { expected: readonly ExpectedIndex[]; text: TextIndex | undefined; words: WordSums },
): void {
  const doc = decodeStored(document);
  const keys = expected.map(({ index }) => index.keysOf(document, () => doc).keys);
  const [tokens] = text?.keysOf(document).keys ?? [];
  for (const [at, one] of expected.entries()) {
    for (const key of keys[at] ?? []) one.sums.add(key, rid);
    one.count += keys[at]?.length ?? 0;
  }
  for (const word of tokens?.toString('latin1').split(' ') ?? []) words.add(word, 1, rid);
}

type Row = { readonly rid: number; readonly document: unknown };

/** All rows of a collection in the order of their numbers, without validation. */
function* rowsOf(file: DatabaseFile, collection: Collection): Generator<Row> {
  const sql = `SELECT rid, ${smallDocument('doc')} FROM ${collection.table} WHERE rid > ? ORDER BY rid ${limitClause}`;
  const large = file.prepare(`SELECT doc FROM ${collection.table} WHERE rid = ?`);
  for (let last = Number.MIN_SAFE_INTEGER, rows: [number, unknown][]; ; ) {
    rows = file.prepare(sql).all(last, rowsPerChunk) as unknown as [number, unknown][];
    for (const [rid, small] of rows) {
      if (!(rid > last)) throw damaged(`the documents of ${collection.namespace} are not in order.`);
      last = rid;
      yield { rid, document: small ?? (large.get(rid) as unknown as [unknown])?.[0] };
    }
    if (rows.length < rowsPerChunk) return;
  }
}

/** Compares the entries of an index with the expected ones. */
function compare({ index, sums, count }: ExpectedIndex, scan: Scan, isComplete: boolean): string[] {
  let found = 0;
  for (const [key, rid] of allEntries(index, scan)) {
    sums.subtract(key, rid);
    found++;
  }
  const ranges = [...sums.differences()];
  const lacking = ranges.slice(0, mostRanges).flatMap((range) => lackingIn(range, index, scan));
  const errors = lacking.map((rid) => `index ${index.name} lacks keys of document ${rid}`);
  const isCounted = isComplete && found !== count;
  if (isCounted) errors.push(`index ${index.name} has ${found} keys instead of ${count}`);
  else if (ranges.length > 0 && errors.length === 0)
    errors.push(`index ${index.name} has keys of documents ${ranges[0]?.join(' to ')} that they do not have`);
  return errors;
}

function* allEntries(index: StoredIndex, scan: Scan): Generator<Entry> {
  const range = { low: Buffer.alloc(0), high: Buffer.of(0xff) };
  for (let last: Entry | undefined, entries: Entry[]; ; last = entries.at(-1)) {
    entries = entriesAfter(index, range, last, scan, entriesPerChunk);
    yield* entries;
    if (entries.length < entriesPerChunk) return;
  }
}

/** The documents in a range of row numbers whose keys are missing from an index. */
function lackingIn([first, last]: [number, number], index: StoredIndex, { file, collection }: Scan): number[] {
  const sql = `SELECT rid FROM ${collection.table} WHERE rid BETWEEN ? AND ?`;
  const rids = (file.prepare(sql).all(first, last) as unknown as [number][]).map(([rid]) => rid);
  return rids.filter((rid) => {
    const document = collection.get(rid) as Buffer;
    return !index.keysOf(document, () => decodeStored(document)).keys.every((key) => index.has(key, rid));
  });
}

const wrongWords = ({ name }: TextIndex, { count }: WordSums, expected: WordSums): string =>
  count === expected.count
    ? `index ${name} has other words than the documents`
    : `index ${name} has ${count} keys instead of ${expected.count}`;

/**
 * Checks a whole file: its pages, and that each collection has as many `_id` keys as documents.
 * With `full`, also checks each document and its keys.
 */
export function checkFile(
  file: DatabaseFile,
  collections: readonly Collection[],
  full: boolean,
  operation: Operation,
  progress: CheckProgress,
): CopyCheck {
  progress('the pages');
  const errors = faultsOfPages(file);
  const documents: Record<string, number> = {};
  for (const collection of collections) {
    const { namespace } = collection;
    progress(namespace);
    try {
      const ids = collection.ordered.find(({ name }) => name === '_id_')?.count();
      documents[namespace] = collection.count();
      if (ids !== documents[namespace]) errors.push(`${namespace} has ${documents[namespace]} documents and ${ids ?? 'no'} ids`);
      if (!full) continue;
      const found = checkCollection(file, collection, false, operation, progress);
      errors.push(...found.errors.map((error) => `${namespace}: ${error}`));
    } catch (error) {
      errors.push(`${namespace}: ${messageOf(error)}`);
    }
    if (errors.length > mostErrors) break;
  }
  return { documents, errors: errors.slice(0, mostErrors) };
}

const messageOf = (error: unknown): string => whatIsDamaged(error as Error);

/** SQLite's own check. It throws if the damage is too severe. */
function faultsOfPages(file: DatabaseFile): string[] {
  try {
    const rows = file.prepare(`PRAGMA integrity_check(${mostErrors})`).all() as unknown as [string][];
    return rows.map(([line]) => line.trim()).filter((line) => line !== 'ok');
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [messageOf(error)];
  }
}
