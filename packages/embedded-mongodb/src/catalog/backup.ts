import { isAbsolute } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Double, Int32 } from 'bson';
import { boolArg, countArg, required, stringArg } from '../protocol/args.ts';
import type { Command, CommandEntry, Database } from '../protocol/command.ts';
import { reply } from '../protocol/replies.ts';
import { describeDamage, describeDropped } from '../storage/file/damage.ts';
import { pagesPerStep } from '../storage/file/page-sums.ts';
import { badValue, DatabaseError } from '../values/errors.ts';
import type { Doc, Value } from '../values/value.ts';

/**
 * Copies the database into a directory of this machine while other commands go on. The copy shows
 * the state at the end of the copying. With `unchecked`, it may be damaged.
 */
async function backup({ file, commits }: Database, { args, db, connection }: Command): Promise<Doc> {
  if (db !== 'admin') throw new DatabaseError(13, 'backup may only be run against the admin database.');
  if (!connection.isPrivate)
    throw new DatabaseError(13, 'backup may only be asked for by the owner of the database, by its socket.');
  const directory = required(stringArg(args, 'directory'), 'backup.directory');
  if (!isAbsolute(directory)) throw badValue(`The directory of a backup must be an absolute path, not '${directory}'`);
  commits.flush();
  if (boolArg(args, 'unchecked') === true) {
    await file.copyPages(directory);
    return reply([['directory', directory]]);
  }
  const { documents } = await file.backup(directory, commits.flush);
  return reply([
    ['directory', directory],
    ['documents', countsOf(documents)],
  ]);
}

/**
 * Makes a temporary copy of the whole database, checks each document with its keys, and returns the
 * number of documents.
 */
async function checkCopy({ file, commits }: Database): Promise<Doc> {
  commits.flush();
  return reply([['documents', countsOf((await file.check(commits.flush)).documents)]]);
}

const countsOf = (documents: Readonly<Record<string, number>>): Doc =>
  new Map<string, Value>(Object.entries(documents).map(([name, count]) => [name, new Int32(count)]));

/**
 * Pages that one `checkPages` command compares with their checksums. A client asks for the next
 * part.
 */
const pagesPerCheck = 16 * pagesPerStep;

/**
 * Compares the pages after `from` with their checksums, up to `pagesPerCheck`. Returns the known
 * damage of the file.
 */
async function checkPages(database: Database, { args }: Command): Promise<Doc> {
  const { file, commits } = database;
  const { sums } = file;
  let page = countArg(args, 'from') ?? 0;
  if (page === 0) {
    commits.flush();
    sums.checkLog(file.frames());
  }
  for (const end = page + pagesPerCheck; page < sums.pages && page < end; page = sums.check(page)) await nextTurn();
  return reply([
    ['pages', new Int32(sums.pages)],
    // The page to continue from; 0 if all pages were checked.
    ['next', new Int32(page < sums.pages ? page : 0)],
    ...stateOf(database),
  ]);
}

/** The known damage of the file, as sentences. */
const stateOf = ({ file: { sums }, commits }: Database): (readonly [string, Value])[] => [
  ['damage', sums.damage === undefined ? null : describeDamage(sums.damage)],
  ['dropped', sums.dropped === undefined ? null : describeDropped(sums.dropped)],
  // After a power cut, the log may end in writes that were never acknowledged. These are not a
  // loss.
  ['isIncomplete', sums.dropped !== undefined && (sums.dropped.acknowledged || sums.dropped.isUncertain === true)],
  ['readOnly', commits.refusal?.message ?? null],
];

/**
 * Returns the state of the file, and an id that the database keeps until a copy, e.g. a backup,
 * replaces it.
 */
function fileId(database: Database): Doc {
  const { file, commits } = database;
  commits.tryAgain();
  return reply([['id', file.id], ['bytes', new Double(file.bytes())], ['copying', file.copying ?? null], ...stateOf(database)]);
}

/** Forgets the damage that reads met, and the writes in the log that the start had to drop. */
function acknowledgeDamage(database: Database): Doc {
  const before = stateOf(database);
  database.file.sums.acknowledge();
  return reply(before);
}

/**
 * Commands that MongoDB does not have: a consistent, checked copy of a running database, and the
 * database's damage.
 */
export const backupCommands: Readonly<Record<string, CommandEntry>> = {
  backup: { handle: backup, fields: ['directory', 'unchecked'] },
  checkCopy: { handle: checkCopy, fields: [] },
  checkPages: { handle: checkPages, fields: ['from'] },
  fileId: { handle: fileId, fields: [] },
  acknowledgeDamage: { handle: acknowledgeDamage, fields: [] },
};
