import type { Context } from '../context.ts';
import type { FindQuery } from '../plan/find.ts';
import type { Transform } from '../project/projection.ts';
import { compileRawProjection, type RawTransform } from '../project/raw.ts';
import { arrayArg, boolArg, collectionName, countArg, docArg, integerArg, required, stringArg } from '../protocol/args.ts';
import type { Command, CommandEntry, Database, Work } from '../protocol/command.ts';
import { reply } from '../protocol/replies.ts';
import type { Collection } from '../storage/collection.ts';
import { collectionDropped } from '../storage/scan.ts';
import { encodeAnswer } from '../values/bson.ts';
import { badValue, DatabaseError } from '../values/errors.ts';
import { longField } from '../values/numbers.ts';
import { asBuffer } from '../values/raw.ts';
import { isFlag, isTrue } from '../values/truth.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { cursorReply, firstBatch, isOver, takeBatch } from './cursor-replies.ts';
import { projectionArg } from './projection.ts';
import { prepareRead, type ReadPlan, type Result } from './read.ts';

function find(database: Database, command: Command): Work {
  const { args, db } = command;
  const name = collectionName(command);
  const context = contextOf(command);
  const query = findQuery(args);
  const projection = docArg(args, 'projection') ?? new Map();
  const raw = projection.size === 0 ? undefined : compileRawProjection(projection);
  const read = prepareRead(database, db, name, { ...query, shown: shownFields(projection, raw) }, context);
  const project = projectionArg(args, 'projection', { ...context, textScore: read.find?.textScore });
  return firstBatch(database, command, {
    namespace: `${db}.${name}`,
    collection: read.collection,
    documents: shown(read, project, raw),
    batchSize: countArg(args, 'batchSize'),
    singleBatch: boolArg(args, 'singleBatch') === true || (integerArg(args, 'limit') ?? 0) < 0,
  });
}

/** The context of a command's filters, updates and pipelines. */
export function contextOf({ now, operation }: Pick<Command, 'now' | 'operation'>): Context {
  return { now, operation };
}

/** The fields that a projection needs decoded; `undefined` if it may need all. */
function shownFields(projection: Doc, raw: RawTransform | undefined): Doc | undefined {
  // A raw projection, or none, works on encoded documents. Other projections list the fields that
  // they read only if they include fields.
  if (raw !== undefined || projection.size === 0) return new Map();
  const includes = [...projection].some(([name, value]) => name !== '_id' && isFlag(value) && isTrue(value));
  const isMatch = (value: Value) => isDoc(value) && value.size === 1 && value.has('$elemMatch');
  const isPlain = [...projection.values()].every((value) => isFlag(value) || isMatch(value));
  return includes && isPlain ? new Map([['_id', true], ...projection]) : undefined;
}

/** The query of a find command. */
export function findQuery(args: Doc): FindQuery {
  const limit = integerArg(args, 'limit');
  return {
    filter: docArg(args, 'filter') ?? new Map(),
    sort: docArg(args, 'sort'),
    skip: countArg(args, 'skip'),
    limit: limit === 0 || limit === undefined ? undefined : Math.abs(limit),
  };
}

/** Encodes the documents for the client: the stored bytes, unless a projection changes them. */
function* shown(
  { rows, collection }: ReadPlan,
  project: Transform | undefined,
  raw: RawTransform | undefined,
): Generator<Uint8Array | undefined> {
  for (const row of rows()) {
    if (row === undefined) yield undefined;
    else if (project === undefined) yield whole(row, collection);
    else yield raw === undefined ? encodeAnswer(project(row.doc)) : part(row, raw, collection);
  }
}

/**
 * The stored bytes of a document. Throws if they are damaged, because the client's driver would
 * fail on them without naming the document.
 */
export const whole = ({ rid, document }: Result, collection: Collection | undefined): Uint8Array =>
  rid === undefined || collection === undefined ? document : collection.validated.whole(rid, document as Buffer);

function part({ rid, document }: Result, raw: RawTransform, collection: Collection | undefined): Uint8Array {
  const bytes = asBuffer(document);
  return rid === undefined || collection === undefined ? raw(bytes) : collection.validated.part(rid, bytes, raw(bytes));
}

function* getMore({ cursors }: Database, { args, db, connection }: Command): Work {
  const id = longField(required(args.get('getMore'), 'getMore.getMore'), 'getMore.getMore');
  const namespace = `${db}.${required(stringArg(args, 'collection'), 'getMore.collection')}`;
  const batchSize = countArg(args, 'batchSize') || Number.POSITIVE_INFINITY;
  if (args.has('maxTimeMS')) throw badValue('cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  const cursor = cursors.take(id, namespace);
  const { collection, operation } = cursor;
  let goesOn = false;
  try {
    if (collection?.presence.isOver) throw collectionDropped(collection);
    operation.resume(connection);
    const documents = yield* takeBatch(cursor.documents, batchSize);
    goesOn = !(yield* isOver(cursor.documents));
    // Its sequence has ended early, so the batch may lack documents.
    if (cursor.isClosed) throw new DatabaseError(237, `cursor id ${id} was closed while it was in use`);
    operation.pause();
    return cursorReply('nextBatch', documents, goesOn ? id : 0n, namespace);
  } finally {
    if (goesOn) cursors.giveBack(cursor);
    else cursors.close(id);
  }
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

/** The commands `find`, `getMore` and `killCursors`. */
export const queryCommands: Readonly<Record<string, CommandEntry>> = {
  find: { handle: find, fields: ['filter', 'projection', 'sort', 'skip', 'limit', 'batchSize', 'singleBatch'] },
  getMore: { handle: getMore, fields: ['collection', 'batchSize'] },
  killCursors: { handle: killCursors, fields: ['cursors'] },
};
