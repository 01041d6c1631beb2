import { decode } from '../values/bson.ts';
import { asBuffer } from '../values/raw.ts';
import type { Doc } from '../values/value.ts';
import { currentFormat, type DatabaseFile } from './file.ts';
import { TextIndex } from './text-index.ts';

/** Makes a file of an earlier format one of the present, wholly or not at all, and says so. */
export function upgrade(file: DatabaseFile, directory: string): void {
  if (file.format === currentFormat) return;
  const since = performance.now();
  process.stderr.write(`The database in ${directory} is brought from format ${file.format} to format ${currentFormat} ... `);
  file.exec('BEGIN');
  if (file.format === 1)
    file.exec('DROP INDEX retryable_writes_used; ALTER TABLE indexes ADD COLUMN stored_to INTEGER NOT NULL DEFAULT 0');
  const dropped = file
    .prepare('SELECT id, collection, spec FROM indexes')
    .all()
    .flatMap((row) => upgradeIndex(file, row as unknown as IndexRow));
  file.exec(`PRAGMA user_version = ${currentFormat}; COMMIT`);
  process.stderr.write(`done in ${((performance.now() - since) / 1000).toFixed(1)} s.\n`);
  for (const name of dropped)
    process.stderr.write(`The text index '${name}' is gone, for it is one of a kind that is not supported.\n`);
}

type IndexRow = [id: number, collection: number, spec: Uint8Array];

/** Since format 3, SQLite's full-text search has the words. Gives the name of an index that could not be kept. */
function upgradeIndex(file: DatabaseFile, [id, collection, bytes]: IndexRow): string[] {
  const spec = decode(bytes);
  if (!(spec.get('key') as Doc).has('_fts')) return [];
  file.exec(`DROP TABLE i${id}`);
  if (spec.get('default_language') !== 'none') {
    file.prepare('DELETE FROM indexes WHERE id = ?').run(id);
    return [spec.get('name') as string];
  }
  const [last] = file.prepare(`SELECT coalesce(max(rid), 0) FROM c${collection}`).get() as unknown as [number];
  file.prepare('UPDATE indexes SET stored_to = ? WHERE id = ?').run(last, id);
  const index = new TextIndex({ id, spec, multikey: 0, storedTo: last }, `c${collection}`, file);
  file.exec(index.tableSql);
  for (const row of file.prepare(`SELECT rid, doc FROM c${collection} ORDER BY rid`).iterate()) {
    const [rid, document] = row as unknown as [number, Uint8Array];
    index.put(index.keysOf(asBuffer(document)), rid);
  }
  return [];
}
