import { Int32 } from 'bson';
import { compilePipeline } from '../aggregate/pipeline.ts';
import type { PipelineContext } from '../aggregate/stages/stage.ts';
import type { Context } from '../context.ts';
import { compileFilter } from '../match/filter.ts';
import { type Find, type FindQuery, prepareFind } from '../plan/find.ts';
import type { Counts } from '../plan/plan.ts';
import { pushDown } from '../plan/pushdown.ts';
import { checkScores } from '../plan/text-search.ts';
import type { Database } from '../protocol/command.ts';
import type { Collection } from '../storage/collection.ts';
import { encodeAnswer } from '../values/bson.ts';
import { equals } from '../values/compare.ts';
import type { Doc, Value } from '../values/value.ts';

/** A result document, encoded and decoded. */
export type Result = {
  readonly document: Uint8Array;
  readonly doc: Doc;
  /** Its row number, if the document is returned as stored. */
  readonly rid?: number;
};

/** A planned read of a collection, which need not exist. */
export type ReadPlan = {
  /** The collection that is read. If it is dropped, open cursors end. */
  readonly collection: Collection | undefined;
  /** The plan of the find; `undefined` if the collection does not exist. */
  readonly find: Find | undefined;
  /** The pipeline stages that remain after the find. */
  readonly rest: readonly Value[];
  /** The results, and `undefined` at points at which other commands may run. */
  rows(counts?: Counts): Iterable<Result | undefined>;
};

/**
 * The stage that drivers send for `countDocuments`. The plan may answer it without reading
 * documents.
 */
const countAllStage: Doc = new Map([
  [
    '$group',
    new Map<string, Value>([
      ['_id', new Int32(1)],
      ['n', new Map([['$sum', new Int32(1)]])],
    ]),
  ],
]);

/** Plans a query on a collection. */
export function prepareRead(database: Database, db: string, name: string, query: FindQuery, context: Context): ReadPlan {
  const collection = database.catalog.get(db, name);
  const find = collection && prepareFind(database.file, collection, query, context);
  if (find === undefined) compileFilter(query.filter, context);
  return { collection, find, rest: [], rows: (counts) => find?.rows(counts) ?? [] };
}

/**
 * Plans a pipeline on a collection. As many of its first stages as possible become an indexed find.
 */
export function prepareStages(
  database: Database,
  db: string,
  name: string,
  stages: readonly Value[],
  context: Context,
): ReadPlan {
  const collection = database.catalog.get(db, name);
  const { query, rest } = pushDown(stages);
  const find = collection && prepareFind(database.file, collection, query, context);
  if (find === undefined) compileFilter(query.filter, context);
  if (find?.textScore !== undefined) checkScores(rest);
  const isCount = rest.length === 1 && equals(rest[0], countAllStage);
  const around = pipelineContext(database, db, { ...context, textScore: find?.textScore });
  const pipeline = rest.length === 0 ? undefined : compilePipeline(rest, around);
  const rows = (counts?: Counts): Iterable<Result | undefined> => {
    if (pipeline === undefined) return find?.rows(counts) ?? [];
    if (find?.count !== undefined && isCount) return results(countAll(find.count()));
    return results(pipeline.run(docsOf(find, counts)));
  };
  return { collection, find, rest, rows };
}

/** The access that a pipeline has to the database. */
function pipelineContext(database: Database, db: string, context: Context): PipelineContext {
  return {
    ...context,
    collection: (name, filter = new Map()) => docsOf(prepareRead(database, db, name, { filter }, context)),
    isIndexed: (name, path) => database.catalog.get(db, name)?.ordered.some((index) => index.leadsBy(path)) === true,
  };
}

/** Encodes documents that a pipeline has made. */
function* results(docs: Iterable<Doc | undefined>): Generator<Result | undefined> {
  for (const doc of docs) yield doc && { doc, document: encodeAnswer(doc) };
}

function countAll(n: number): Doc[] {
  if (n === 0) return [];
  return [
    new Map([
      ['_id', new Int32(1)],
      ['n', new Int32(n)],
    ]),
  ];
}

function* docsOf(read: Pick<ReadPlan, 'rows'> | undefined, counts?: Counts): Generator<Doc | undefined> {
  if (read !== undefined) for (const row of read.rows(counts)) yield row?.doc;
}
