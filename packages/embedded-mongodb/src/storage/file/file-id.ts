import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/*
 * The id of a database file: made with it, and made again when the file turns out to be a copy. The file notes which file of
 * the file system it is, so that a copy shows, however it was made; one that is copied over the original has the original's
 * number, so a backup forgets its id.
 */

const schema = 'CREATE TABLE IF NOT EXISTS file_id (id TEXT NOT NULL, inode TEXT NOT NULL, born TEXT NOT NULL)';

/** The id of an open database file, and the one it had `before`: a new file, and a copy of another, is given one. */
export function establishFileId(database: DatabaseSync, path: string): { id: string; before: string } {
  const here = placeOf(path);
  const noted = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get('file_id')
    ? (database.prepare('SELECT id, inode, born FROM file_id').get() as NotedFile | undefined)
    : undefined;
  if (noted && isId(noted.id) && isSamePlace(noted, here)) return { id: noted.id, before: noted.id };
  const id = randomBytes(12).toString('hex');
  database.exec(`BEGIN; ${schema}; DELETE FROM file_id`);
  database.prepare('INSERT INTO file_id VALUES (?, ?, ?)').run(id, here.inode, here.born);
  database.exec('COMMIT');
  return { id, before: String(noted?.id ?? '') };
}

/** Whether this can be an id: what is stored may be damaged. */
const isId = (id: unknown): boolean => typeof id === 'string' && /^[0-9a-f]{24}$/.test(id);

/** What a copy has for an id; none at all is the mark of a damaged file. */
export const idOfCopy = 'copy';

/** Makes a copy of a database file forget whose copy it is: it gets an id of its own when it is opened. */
export function forgetFileId(database: DatabaseSync): void {
  database.exec(`${schema}; DELETE FROM file_id; INSERT INTO file_id VALUES ('${idOfCopy}', '', '')`);
}

type Place = { readonly inode: string; readonly born: string };
type NotedFile = Place & { readonly id: string };

function placeOf(path: string): Place {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // A file system without times of birth has none, or gives the time of the last change for one.
  return { inode: String(ino), born: birthtimeNs === ctimeNs ? '0' : String(birthtimeNs) };
}

const isSamePlace = (one: Place, other: Place): boolean =>
  one.inode === other.inode && (one.born === other.born || one.born === '0' || other.born === '0');
