import { Operation } from '../operation.ts';
import { decodeStored } from '../values/bson.ts';
import { asBuffer } from '../values/raw.ts';
import { bsonType } from '../values/value.ts';
import type { Catalog } from './catalog.ts';
import type { Collection } from './collection.ts';
import { unlessDamaged } from './file/damage.ts';
import type { DatabaseFile } from './file/file.ts';
import { ifPossible } from './group-commit.ts';
import { invertKey, type KeyRange, typeByte, valueKey } from './index/key.ts';
import type { StoredIndex } from './index/stored-index.ts';
import { type Entry, entriesAfter } from './scan.ts';

/**
 * Documents that one sweep removes at most, so that it does not delay other commands. The next
 * sweep removes the rest.
 */
const maxRemoved = 10_000;

/** Removes documents that have expired according to a TTL index. */
export function removeExpired(file: DatabaseFile, catalog: Catalog, now = Date.now()): void {
  for (const collection of catalog.all())
    for (const index of collection.ordered) {
      const { expireAfterSeconds } = index;
      if (expireAfterSeconds === undefined) continue;
      const range = datesUntil(now - expireAfterSeconds * 1000, index);
      unlessDamaged(() => removeAll(collection, index, entriesOf(file, collection, index, range)), undefined);
    }
}

function datesUntil(time: number, { fields: [first] }: StoredIndex): KeyRange {
  const [oldest, limit] = [Buffer.of(typeByte(bsonType.date)), valueKey(new Date(time))];
  return first?.descending
    ? { low: invertKey(limit), high: Buffer.of(256 - typeByte(bsonType.date)) }
    : { low: oldest, high: limit };
}

function entriesOf(file: DatabaseFile, collection: Collection, index: StoredIndex, range: KeyRange): Entry[] {
  return entriesAfter(index, range, undefined, { file, collection, backward: false, operation: new Operation() }, maxRemoved);
}

function removeAll(collection: Collection, index: StoredIndex, entries: readonly Entry[]): void {
  // A damaged document must not prevent the removal of the others.
  for (const [key, rid] of entries) unlessDamaged(() => ifPossible(() => removeIfRight(collection, index, key, rid)), undefined);
}

/** Removes a document if it has expired. A damaged index may name the wrong document. */
function removeIfRight(collection: Collection, index: StoredIndex, key: Uint8Array, rid: number): void {
  const document = collection.get(rid);
  if (document === undefined) return;
  const doc = () => decodeStored(document);
  if (index.keysOf(document, doc).keys.some((own) => own.equals(asBuffer(key)))) collection.remove(rid, document, doc);
}
