import { isAbsolute } from 'node:path';
import { required, stringArg } from '../protocol/args.ts';
import type { Command, CommandEntry, Database } from '../protocol/command.ts';
import { reply } from '../protocol/replies.ts';
import { badValue, DatabaseError } from '../values/errors.ts';
import type { Doc } from '../values/value.ts';

/** Copies the database, as it is at the end of the copy, into a directory of this machine; others go on working meanwhile. */
async function backup({ file, commits }: Database, { args, db, connection }: Command): Promise<Doc> {
  if (db !== 'admin') throw new DatabaseError(13, 'backup may only be run against the admin database.');
  if (!connection.isPrivate)
    throw new DatabaseError(13, 'backup may only be asked for by the owner of the database, by its socket.');
  const directory = required(stringArg(args, 'directory'), 'backup.directory');
  if (!isAbsolute(directory)) throw badValue(`The directory of a backup must be an absolute path, not '${directory}'`);
  commits.flush();
  await file.backup(directory);
  return reply([['directory', directory]]);
}

/** Tells an id that the database keeps until it is replaced by a copy, such as a backup. */
const fileId = ({ file }: Database): Doc => reply([['id', file.id]]);

/** Not MongoDB's: a consistent copy while the database runs, and whether the database is such a copy. */
export const backupCommands: Readonly<Record<string, CommandEntry>> = {
  backup: { handle: backup, fields: ['directory'] },
  fileId: { handle: fileId, fields: [] },
};
