import { decodeStored } from '../values/bson.ts';
import { asBuffer } from '../values/raw.ts';
import type { Doc } from '../values/value.ts';
import type { Collection } from './collection.ts';
import { isDamage } from './file/damage.ts';
import type { DatabaseFile } from './file/file.ts';

/** Documents read together, and their bytes at most, but for the last of them. */
const mostDocuments = 500;
const mostBytes = 8_000_000;
/** Numbers tried one after the other in a range that cannot be read; as few lie on one page. */
const mostTried = 5_000;

/** A number beyond these is damaged: nobody waits for as many to be tried. */
const mostNumbers = 1e9;

/** What could be read of a part of a collection. */
type SalvageResult = {
  readonly documents: readonly Doc[];
  /** The number after which to go on; undefined at the end. */
  readonly next: number | undefined;
  /** How many documents, or their numbers, could not be read. */
  readonly unreadable: number;
};

/**
 * Reads the documents of a collection after a number, in the order in which they were inserted, and passes over what is damaged: each call does a
 * bounded amount of work, and the next one begins at a higher number, so that reading on ends.
 */
export function salvageAfter(file: DatabaseFile, collection: Collection, after: number): SalvageResult {
  const last = lastNumber(file, collection);
  const documents: Doc[] = [];
  let [at, bytes, unreadable, tried] = [after, 0, 0, 0];
  // What can't be read together is halved until it is one document.
  let width = Number.MAX_SAFE_INTEGER;
  while (at < last && documents.length < mostDocuments && bytes < mostBytes && tried < mostTried) {
    const end = Math.min(last, at + width);
    const wanted = mostDocuments - documents.length;
    const rows = read(file, collection, at, end, wanted);
    tried++;
    if (rows === undefined) {
      if (end - at > 1) {
        width = Math.floor((end - at) / 2);
        continue;
      }
      unreadable++;
      at = end;
      continue;
    }
    for (const [rid, document] of rows) {
      at = rid;
      try {
        documents.push(decodeStored(asBuffer(document)));
        bytes += document.length;
      } catch {
        unreadable++;
      }
    }
    if (rows.length < wanted) at = end;
    width *= 2;
  }
  return { documents, next: at < last ? at : undefined, unreadable };
}

type Row = readonly [rid: number, document: Uint8Array];

/** The first documents of a range of numbers, in order; undefined if one of them cannot be read. */
function read(file: DatabaseFile, { table }: Collection, after: number, end: number, most: number): Row[] | undefined {
  try {
    const sql = `SELECT rid, doc FROM ${table} WHERE rid > ? AND rid <= ? ORDER BY rid LIMIT ? + 0`;
    const rows = file.prepare(sql).all(after, end, most) as unknown as Row[];
    let before = after;
    for (const [rid, document] of rows) {
      if (!(rid > before && rid <= end) || !(document instanceof Uint8Array)) return undefined;
      before = rid;
    }
    return rows;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/** The highest number of a document. The indexes have it as well, should the documents be damaged where it stands. */
function lastNumber(file: DatabaseFile, { table, ordered }: Collection): number {
  const found = [table, ...ordered.map((index) => index.table)].flatMap((name) => {
    try {
      const [last] = file.prepare(`SELECT max(rid) FROM ${name}`).get() as unknown as [number | null];
      return last === null ? [] : [Number(last)];
    } catch (error) {
      if (!isDamage(error)) throw error;
      return [];
    }
  });
  return Math.min(Math.max(0, ...found), mostNumbers);
}
