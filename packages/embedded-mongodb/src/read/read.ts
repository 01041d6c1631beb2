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

/** A document that is read: as it is stored, and decoded. */
export type Result = {
  readonly document: Uint8Array;
  readonly doc: Doc;
  /** Its number in the collection, if it is stored there as it is. */
  readonly rid?: number;
};

/** A question to a collection, which need not exist. */
export type ReadPlan = {
  /** The collection that is read, whose end is the end of an open cursor. */
  readonly collection: Collection | undefined;
  /** How the collection is searched. */
  readonly find: Find | undefined;
  /** The stages that a pipeline leaves to be done after the find. */
  readonly rest: readonly Value[];
  /** What it gives, and `undefined` where others may have their turn. */
  rows(counts?: Counts): Iterable<Result | undefined>;
};

/** What a driver's countDocuments asks for; the plan may know the answer without reading documents. */
const countAllStage: Doc = new Map([
  [
    '$group',
    new Map<string, Value>([
      ['_id', new Int32(1)],
      ['n', new Map([['$sum', new Int32(1)]])],
    ]),
  ],
]);

/** Prepares a query on a collection. */
export function prepareRead(database: Database, db: string, name: string, query: FindQuery, context: Context): ReadPlan {
  const collection = database.catalog.get(db, name);
  const find = collection && prepareFind(database.file, collection, query, context);
  if (find === undefined) compileFilter(query.filter, context);
  return { collection, find, rest: [], rows: (counts) => find?.rows(counts) ?? [] };
}

/** Prepares a pipeline on a collection; as much as possible of its beginning is left to an index. */
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

/** What pipelines see of the database around them. */
function pipelineContext(database: Database, db: string, context: Context): PipelineContext {
  return {
    ...context,
    collection: (name, filter = new Map()) => docsOf(prepareRead(database, db, name, { filter }, context)),
    isIndexed: (name, path) => database.catalog.get(db, name)?.ordered.some((index) => index.leadsBy(path)) === true,
  };
}

/** Documents that were made, in the form in which stored ones come. */
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
