import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/*
 * The id of a database file. It is created with the file and replaced when the file is found to be
 * a copy. The file stores its own inode, so that a copy is recognized, however it was made. A
 * backup that is copied over the original has the original's inode, so backups forget their id.
 */

const schema = 'CREATE TABLE IF NOT EXISTS file_id (id TEXT NOT NULL, inode TEXT NOT NULL, born TEXT NOT NULL)';

/**
 * Returns the id of an open database file, and its id `before`. New files and copies get a new id.
 */
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

/** Validates a stored id, which may be damaged. */
const isId = (id: unknown): boolean => typeof id === 'string' && /^[0-9a-f]{24}$/.test(id);

/** The placeholder id of a backup. A file without any id is damaged. */
export const idOfCopy = 'copy';

/** Makes a copy forget the id of its original. It gets its own id when it is opened. */
export function forgetFileId(database: DatabaseSync): void {
  database.exec(`${schema}; DELETE FROM file_id; INSERT INTO file_id VALUES ('${idOfCopy}', '', '')`);
}

type Place = { readonly inode: string; readonly born: string };
type NotedFile = Place & { readonly id: string };

function placeOf(path: string): Place {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // On a file system without birth times, the birth time is missing or equals the time of the last
  // change.
  return { inode: String(ino), born: birthtimeNs === ctimeNs ? '0' : String(birthtimeNs) };
}

const isSamePlace = (one: Place, other: Place): boolean =>
  one.inode === other.inode && (one.born === other.born || one.born === '0' || other.born === '0');
