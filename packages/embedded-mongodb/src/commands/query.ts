import { Int32 } from 'bson';
import type { FindQuery } from '../plan/find.ts';
import { encode } from '../query/bson.ts';
import { compare, type TextOrder } from '../query/compare.ts';
import { badValue, DatabaseError, failedToParse, notSupported } from '../query/errors.ts';
import { longField } from '../query/numbers.ts';
import { valuesAt } from '../query/path.ts';
import type { Transform } from '../query/project.ts';
import { isTrue } from '../query/truth.ts';
import { type Doc, isDoc, isNumber, type Value } from '../query/value.ts';
import { collectionDropped } from '../sessions/cursors.ts';
import { valueKey } from '../storage/key.ts';
import { cursorReply } from '../wire/reply.ts';
import { arrayArg, boolArg, collectionName, countArg, docArg, integerArg, required, stringArg } from './args.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { contextOf } from './context.ts';
import { firstBatch, takeBatch } from './cursor-replies.ts';
import { projectionArg } from './projection.ts';
import { prepareRead, type Read } from './read.ts';
import { reply } from './replies.ts';

function find(database: Database, command: Command): Buffer[] {
  const { args, db } = command;
  const name = collectionName(command);
  const limit = integerArg(args, 'limit');
  refuseOptions(args);
  const context = contextOf(command);
  const query = findQuery(args, limit);
  const read = prepareRead(database, db, name, { ...query, fields: fieldsOf(query, docArg(args, 'projection')) }, context);
  return firstBatch(database, command, {
    namespace: `${db}.${name}`,
    collection: read.collection,
    documents: shown(read, projectionArg(args, 'projection', { ...(read.find?.context ?? context), filter: read.filter })),
    batchSize: countArg(args, 'batchSize'),
    singleBatch: boolArg(args, 'singleBatch') === true || (limit ?? 0) < 0,
    noTimeout: boolArg(args, 'noCursorTimeout') === true,
  });
}

/**
 * The top-level fields that a find looks at, if its projection only includes some: the others need not be decoded. Undefined where
 * operators may look at the whole document.
 */
function fieldsOf({ filter, sort = new Map() }: FindQuery, projection: Doc | undefined): ReadonlySet<string> | undefined {
  if (projection === undefined || projection.size === 0) return undefined;
  const flags = [...projection].filter(([name]) => name !== '_id').map(([, value]) => value);
  const includes = flags.length > 0 && flags.every((value) => (value === true || isNumber(value)) && isTrue(value));
  const orders = [...sort.values()].every(isNumber);
  const paths = [...projection.keys(), ...filter.keys(), ...sort.keys()];
  if (!includes || !orders || paths.some((path) => path.includes('$'))) return undefined;
  return new Set(['_id', ...paths.map((path) => path.split('.', 1)[0] as string)]);
}

/** What the fields of a find say about which documents it asks for. */
export function findQuery(args: Doc, limit = integerArg(args, 'limit')): FindQuery {
  return {
    filter: docArg(args, 'filter') ?? new Map(),
    sort: docArg(args, 'sort'),
    hint: hintArg(args),
    skip: countArg(args, 'skip'),
    limit: limit === 0 || limit === undefined ? undefined : Math.abs(limit),
  };
}

/** What the fields of a count say about which documents it counts. */
export function countQuery(args: Doc): FindQuery {
  const { skip, limit, hint } = findQuery(args);
  return { filter: docArg(args, 'query') ?? new Map(), skip, limit, hint };
}

/** The index that a command asks for, by name or by pattern. */
export function hintArg(args: Doc): string | Doc | undefined {
  const hint = args.get('hint');
  if (hint === undefined || typeof hint === 'string' || isDoc(hint)) return hint;
  throw new DatabaseError(9, 'Hint must be a string or an object');
}

/** Refuses what a find could ask for and would not get. */
function refuseOptions(args: Doc): void {
  for (const option of ['min', 'max', 'returnKey', 'showRecordId']) {
    const value = args.get(option);
    if (value !== undefined && value !== false) throw notSupported(`find with '${option}' is not supported`);
  }
  if (boolArg(args, 'tailable') === true)
    throw badValue('error processing query: tailable cursor requested on non capped collection');
  if (boolArg(args, 'awaitData') === true) throw failedToParse("Cannot set 'awaitData' without also setting 'tailable'");
}

/** The documents as the client sees them: as they are stored, unless a projection changes them. */
function* shown({ rows }: Read, project: Transform | undefined): Generator<Uint8Array> {
  for (const row of rows()) yield project === undefined ? row.document : encode(project(row.doc));
}

function getMore({ cursors, catalog }: Database, { args, db }: Command): Buffer[] {
  const id = longField(required(args.get('getMore'), 'getMore.getMore'), 'getMore.getMore');
  const namespace = `${db}.${required(stringArg(args, 'collection'), 'getMore.collection')}`;
  const cursor = cursors.get(id, namespace);
  const { collection, timeLimit } = cursor;
  if (args.has('maxTimeMS')) throw badValue('cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  if (collection !== undefined && catalog.get(collection.db, collection.identity.name)?.identity.id !== collection.identity.id) {
    cursors.close(cursor.id);
    throw collectionDropped(collection);
  }
  timeLimit?.resume();
  const documents = takeBatch(cursor.documents, countArg(args, 'batchSize') || Number.POSITIVE_INFINITY);
  const ended = cursor.documents.peek() === undefined;
  timeLimit?.pause();
  if (ended) cursors.close(cursor.id);
  return cursorReply({ id: ended ? 0n : cursor.id, namespace, field: 'nextBatch', documents });
}

function killCursors({ cursors }: Database, { args }: Command): Doc {
  const ids = required(arrayArg(args, 'cursors'), 'killCursors.cursors');
  const killed: Value[] = [];
  const unknown: Value[] = [];
  for (const id of ids) (cursors.close(longField(id, 'killCursors.cursors')) ? killed : unknown).push(id);
  return reply([
    ['cursorsKilled', killed],
    ['cursorsNotFound', unknown],
    ['cursorsAlive', []],
    ['cursorsUnknown', []],
  ]);
}

function countDocuments(database: Database, command: Command): Doc {
  const { args, db } = command;
  const { count } = prepareRead(database, db, collectionName(command), countQuery(args), contextOf(command));
  return reply([['n', new Int32(count())]]);
}

function distinct(database: Database, command: Command): Doc {
  const { args, db } = command;
  const path = required(stringArg(args, 'key'), 'distinct.key').split('.');
  const query: FindQuery = { filter: docArg(args, 'query') ?? new Map(), hint: hintArg(args) };
  const context = contextOf(command);
  const { rows } = prepareRead(database, db, collectionName(command), query, context);
  const found = new Map<string, Value>();
  for (const { doc } of rows()) {
    for (const value of valuesAt(doc, path)) {
      const key = valueKey(value).toString('latin1');
      if (!found.has(key)) found.set(key, value);
    }
  }
  return reply([['values', firstOfEach([...found.values()], context.texts)]]);
}

/** Of the values that a collation takes for the same, the first one. */
function firstOfEach(values: Value[], texts: TextOrder | undefined): Value[] {
  if (texts === undefined) return values;
  const sorted = values.map((value, at) => ({ value, at })).sort((a, b) => compare(a.value, b.value, texts));
  const firsts = sorted.filter(({ value }, i) => i === 0 || compare(value, sorted[i - 1]?.value, texts) !== 0);
  return firsts.sort((a, b) => a.at - b.at).map(({ value }) => value);
}

const QUERY_FIELDS = ['query', 'hint', 'collation'];

/** The commands that read by a filter. */
export const queryCommands: Readonly<Record<string, CommandEntry>> = {
  find: {
    handle: find,
    fields: [
      'filter',
      'sort',
      'projection',
      'hint',
      'skip',
      'limit',
      'batchSize',
      'singleBatch',
      'noCursorTimeout',
      'allowDiskUse',
      'let',
      'collation',
      'min',
      'max',
      'returnKey',
      'showRecordId',
      'tailable',
      'awaitData',
      'oplogReplay',
      'allowPartialResults',
    ],
  },
  getMore: { handle: getMore, fields: ['collection', 'batchSize', 'term'] },
  killCursors: { handle: killCursors, fields: ['cursors'] },
  count: { handle: countDocuments, fields: [...QUERY_FIELDS, 'limit', 'skip', 'fields'] },
  distinct: { handle: distinct, fields: ['key', ...QUERY_FIELDS] },
};
