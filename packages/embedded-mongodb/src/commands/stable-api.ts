import { DatabaseError } from '../query/errors.ts';
import { type Doc, isDoc } from '../query/value.ts';
import { arrayArg, boolArg, stringArg } from './args.ts';

/** The commands of MongoDB's Stable API, version 1. */
const COMMANDS = new Set([
  'abortTransaction',
  'aggregate',
  'bulkWrite',
  'collMod',
  'commitTransaction',
  'count',
  'create',
  'createIndexes',
  'delete',
  'drop',
  'dropDatabase',
  'dropIndexes',
  'endSessions',
  'explain',
  'find',
  'findAndModify',
  'getMore',
  'hello',
  'insert',
  'killCursors',
  'listCollections',
  'listDatabases',
  'listIndexes',
  'ping',
  'refreshSessions',
  'testDeprecation',
  'update',
]);

/** The stages that it leaves out. */
const STAGES_OUTSIDE = new Set([
  '$collStats',
  '$currentOp',
  '$indexStats',
  '$listLocalSessions',
  '$listSessions',
  '$planCacheStats',
]);

/** Holds a command to the API version that its client declares. */
export function checkApiVersion(name: string, args: Doc): void {
  const version = stringArg(args, 'apiVersion');
  const strict = boolArg(args, 'apiStrict') === true;
  if (version === undefined) {
    if (strict || args.has('apiDeprecationErrors'))
      throw new DatabaseError(4886600, 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion');
    return;
  }
  if (version !== '1') throw new DatabaseError(322, 'API version must be "1"');
  if (!strict) return;
  if (!COMMANDS.has(name)) throw outside(`but the command ${name} is not in API Version 1.`);
  for (const stage of name === 'aggregate' ? (arrayArg(args, 'pipeline') ?? []) : []) {
    const [first = ''] = isDoc(stage) ? stage.keys() : [];
    if (STAGES_OUTSIDE.has(first)) throw outside(`but the stage ${first} is not in API Version 1.`);
  }
}

function outside(what: string): DatabaseError {
  return new DatabaseError(323, `Provided apiStrict:true, ${what}`);
}
