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
 * Copies the database, as it is at the end of the copy, into a directory of this machine; others go on working meanwhile. With `unchecked` the
 * copy may be damaged.
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

/** Checks a copy of the whole database, with each document and its keys, and says how many documents there are. */
async function checkCopy({ file, commits }: Database): Promise<Doc> {
  commits.flush();
  return reply([['documents', countsOf((await file.check(commits.flush)).documents)]]);
}

const countsOf = (documents: Readonly<Record<string, number>>): Doc =>
  new Map<string, Value>(Object.entries(documents).map(([name, count]) => [name, new Int32(count)]));

/** So much of the file is compared with its checksums by one command, unless it asks for all. */
const pagesPerCheck = 16 * pagesPerStep;

/** Compares the next part of the file, after the page `from`, with its checksums, and tells what is known to be wrong. */
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
    // Where to go on; 0 when all is done.
    ['next', new Int32(page < sums.pages ? page : 0)],
    ...stateOf(database),
  ]);
}

/** What is known to be wrong with the file, as sentences. */
const stateOf = ({ file: { sums }, commits }: Database): (readonly [string, Value])[] => [
  ['damage', sums.damage === undefined ? null : describeDamage(sums.damage)],
  ['dropped', sums.dropped === undefined ? null : describeDropped(sums.dropped)],
  // Only a power cut leaves something in the log that was never acknowledged.
  ['isIncomplete', sums.dropped !== undefined && (sums.dropped.acknowledged || sums.dropped.isUncertain === true)],
  ['readOnly', commits.refusal?.message ?? null],
];

/** Tells an id that the database keeps until it is replaced by a copy, such as a backup, and what is wrong with the file. */
function fileId(database: Database): Doc {
  const { file, commits } = database;
  commits.tryAgain();
  return reply([['id', file.id], ['bytes', new Double(file.bytes())], ['copying', file.copying ?? null], ...stateOf(database)]);
}

/** Forgets what a start had to leave out of the log, and the damage that reading met. */
function acknowledgeDamage(database: Database): Doc {
  const before = stateOf(database);
  database.file.sums.acknowledge();
  return reply(before);
}

/** Not MongoDB's: a consistent, checked copy while the database runs, whether the database is such a copy, and what is damaged in it. */
export const backupCommands: Readonly<Record<string, CommandEntry>> = {
  backup: { handle: backup, fields: ['directory', 'unchecked'] },
  checkCopy: { handle: checkCopy, fields: [] },
  checkPages: { handle: checkPages, fields: ['from'] },
  fileId: { handle: fileId, fields: [] },
  acknowledgeDamage: { handle: acknowledgeDamage, fields: [] },
};
