import { Operation, present } from '../../src/operation.ts';
import { Catalog } from '../../src/storage/catalog.ts';
import { checkCollection } from '../../src/storage/check.ts';
import { openDatabaseFile } from '../../src/storage/file/file.ts';
import { createGroupCommit } from '../../src/storage/group-commit.ts';
import { scanTable } from '../../src/storage/scan.ts';
import { decode } from '../../src/values/bson.ts';

/**
 * Opens a database and returns its inconsistencies: within SQLite's file, or between documents and
 * indexes.
 */
export async function faultsOfStoredData(dataDir: string): Promise<string[]> {
  const file = await openDatabaseFile(dataDir);
  try {
    const [[integrity]] = file.prepare('PRAGMA integrity_check').all() as unknown as [[string]];
    const faults = integrity === 'ok' ? [] : [integrity];
    const commits = createGroupCommit(file, () => {});
    for (const collection of new Catalog(file, () => commits).all()) {
      const { errors } = checkCollection(file, collection, false, new Operation());
      faults.push(...errors.map((error) => `${collection.namespace}: ${error}`));
      for (const index of collection.ordered) {
        const wanted = new Set<string>();
        for (const { rid, document } of present(scanTable({ file, collection, backward: false, operation: new Operation() })))
          for (const key of index.keysOf(document, () => decode(document)).keys) wanted.add(`${key.toString('hex')} ${rid}`);
        const rows = file.prepare(`SELECT lower(hex(key)), rid FROM ${index.table}`).all() as unknown as [string, number][];
        const stored = new Set(rows.map(([key, rid]) => `${key} ${rid}`));
        for (const entry of wanted)
          if (!stored.has(entry)) faults.push(`${index.name} of ${collection.namespace} lacks ${entry}`);
        for (const entry of stored) if (!wanted.has(entry)) faults.push(`${index.name} of ${collection.namespace} has ${entry}`);
      }
    }
    return faults;
  } finally {
    await file.close();
  }
}
