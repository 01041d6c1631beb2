import { Operation, present } from '../operation.ts';
import { decodeStored } from '../values/bson.ts';
import { bsonType } from '../values/value.ts';
import type { Catalog } from './catalog.ts';
import type { DatabaseFile } from './file/file.ts';
import { ifPossible } from './group-commit.ts';
import { invertKey, typeByte, valueKey } from './index/key.ts';
import { scanIndex } from './scan.ts';

/** Removed in one go, so that a sweep does not hold up other commands for long; the rest waits for the next one. */
const maxRemoved = 10_000;

/** Removes the documents whose date in a TTL index has passed by more than its `expireAfterSeconds`. */
export function removeExpired(file: DatabaseFile, catalog: Catalog, now = Date.now()): void {
  for (const collection of catalog.all()) {
    for (const index of collection.ordered) {
      if (index.expireAfterSeconds === undefined) continue;
      const [oldest, limit] = [Buffer.of(typeByte(bsonType.date)), valueKey(new Date(now - index.expireAfterSeconds * 1000))];
      const range = index.fields[0]?.descending
        ? { low: invertKey(limit), high: Buffer.of(256 - typeByte(bsonType.date)) }
        : { low: oldest, high: limit };
      const expired = new Set<number>();
      for (const { rid } of present(scanIndex(index, range, { file, collection, backward: false, operation: new Operation() }))) {
        expired.add(rid);
        if (expired.size === maxRemoved) break;
      }
      ifPossible(() => {
        for (const rid of expired) {
          const document = collection.get(rid);
          if (document !== undefined) collection.remove(rid, document, () => decodeStored(document));
        }
      });
    }
  }
}
