import { Int32 } from 'bson';
import { badValue, codeName, DatabaseError, failedToParse } from '../values/errors.ts';
import { type Doc, isNumber, type Value } from '../values/value.ts';
import { docArg, integerArg, stringArg } from './args.ts';

/** Fields that every command may carry. */
const commonFields: ReadonlySet<string> = new Set([
  '$db',
  'lsid',
  'txnNumber',
  'stmtId',
  'stmtIds',
  'autocommit',
  'startTransaction',
  '$clusterTime',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'comment',
  'maxTimeMS',
]);

/** Rejects fields that the command does not have. */
export function checkFields(name: string, args: Doc, known: readonly string[]): void {
  for (const field of args.keys()) {
    if (field === name || commonFields.has(field) || known.includes(field)) continue;
    throw new DatabaseError(40415, `BSON field '${name}.${field}' is an unknown field.`);
  }
}

/** Multi-statement transactions are not supported. */
export function refuseTransactions(args: Doc): void {
  if (args.get('startTransaction') === undefined && args.get('autocommit') === undefined) return;
  throw new DatabaseError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
}

/** The time limit of a command (`maxTimeMS`) in milliseconds. Without a limit, it is infinite. */
export function maxMillisOf(args: Doc): number {
  const millis = integerArg(args, 'maxTimeMS') ?? 0;
  if (millis < 0 || millis > 0x7fffffff) throw badValue(`${millis} value for maxTimeMS is out of range [0, 2147483647]`);
  return millis === 0 ? Number.POSITIVE_INFINITY : millis;
}

const readLevels = ['local', 'available', 'majority', 'linearizable', 'snapshot'];
const snapshotReads = ['find', 'aggregate'];
const readCommands = [...snapshotReads, 'getMore', 'explain'];

/**
 * Validates the read concern. A single member returns only acknowledged data, so all levels except
 * `snapshot` are equivalent.
 */
export function checkReadConcern(name: string, args: Doc): void {
  const concern = docArg(args, 'readConcern');
  if (concern === undefined) return;
  const level = stringArg(concern, 'level') ?? 'local';
  if (!readLevels.includes(level))
    throw badValue(`Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
  const isSnapshot = level === 'snapshot' || concern.has('atClusterTime');
  if (isSnapshot && snapshotReads.includes(name))
    throw new DatabaseError(246, 'read concern level snapshot is not supported by the storage engine');
  if (isSnapshot || (level !== 'local' && level !== 'available' && !readCommands.includes(name)))
    throw new DatabaseError(72, `Command ${name} does not support { readConcern: { level: "${level}" } }`);
}

const writeCommandNames = new Set([
  'insert',
  'update',
  'delete',
  'findAndModify',
  'findandmodify',
  'aggregate',
  'create',
  'createIndexes',
  'drop',
  'dropDatabase',
  'dropIndexes',
  'commitTransaction',
  'abortTransaction',
]);

/**
 * Validates the write concern. Returns the error to add to the reply if a single member cannot
 * satisfy it.
 */
export function checkWriteConcern(name: string, args: Doc): Doc | undefined {
  const concern = docArg(args, 'writeConcern');
  if (concern === undefined || concern.size === 0) return undefined;
  if (!writeCommandNames.has(name)) throw new DatabaseError(72, 'Command does not support writeConcern');
  for (const field of concern.keys()) {
    if (!['w', 'j', 'fsync', 'wtimeout', 'provenance'].includes(field))
      throw new DatabaseError(40415, `BSON field 'writeConcern.${field}' is an unknown field.`);
  }
  const w = concern.get('w') ?? new Int32(1);
  if (w === 'majority') return undefined;
  if (typeof w === 'string')
    return writeConcernError(79, `No write concern mode named '${w}' found in replica set configuration`);
  const members = isNumber(w) ? Number(w.toString()) : Number.NaN;
  if (!Number.isInteger(members) || members < 0 || members > 50)
    throw failedToParse(`w has to be a non-negative number and not greater than 50; found: ${String(w)}`);
  return members > 1 ? writeConcernError(100, 'Not enough data-bearing nodes') : undefined;
}

/** True if the client does not wait for the sync of its write (`j: false`). */
export const isUnjournaled = (args: Doc): boolean => docArg(args, 'writeConcern')?.get('j') === false;

function writeConcernError(code: number, message: string): Doc {
  return new Map<string, Value>([
    ['code', new Int32(code)],
    ['codeName', codeName(code)],
    ['errmsg', message],
  ]);
}
