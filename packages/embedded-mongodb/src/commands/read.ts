import { Int32, Long } from 'bson';
import { checkCollated } from '../plan/collation.ts';
import type { Counts } from '../plan/execute.ts';
import { type Find, type FindQuery, prepareFind } from '../plan/find.ts';
import { pushDown } from '../plan/pushdown.ts';
import type { QueryContext } from '../plan/query-context.ts';
import { checkScores } from '../plan/text-search.ts';
import { encode } from '../query/bson.ts';
import { equals } from '../query/compare.ts';
import { DatabaseError } from '../query/errors.ts';
import { compileFilter, type Filter } from '../query/match.ts';
import { compilePipeline } from '../query/pipeline.ts';
import type { PipelineContext } from '../query/stages/stage.ts';
import { type Doc, isDoc, type Value } from '../query/value.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from './command.ts';

/** A document that is read: as it is stored, and decoded. */
export interface Result {
  readonly document: Uint8Array;
  readonly doc: Doc;
}

/** A question to whatever a name stands for: a collection, a view, or nothing at all. */
export interface Read {
  /** The collection that is read, whose end is the end of an open cursor. */
  readonly collection: Collection | undefined;
  /** How the collection is searched; what a view does with the documents comes after it. */
  readonly find: Find | undefined;
  readonly filter: Filter;
  /** The stages that a pipeline or view leaves to be done after the find. */
  readonly rest: readonly Value[];
  rows(counts?: Counts): Iterable<Result>;
  count(): number;
}

/** What a driver's countDocuments asks for; the plan may know the answer without reading documents. */
const COUNT_ALL: Doc = new Map([
  [
    '$group',
    new Map<string, Value>([
      ['_id', new Int32(1)],
      ['n', new Map([['$sum', new Int32(1)]])],
    ]),
  ],
]);

/** MongoDB's limit on views of views. */
const MAX_VIEWS = 20;

/** Prepares a query on a collection or view. */
export function prepareRead(database: Database, db: string, name: string, query: FindQuery, context: QueryContext): Read {
  const { collection, stages } = resolve(database, db, name);
  if (stages.length > 0)
    return {
      ...prepareStages(database, db, name, stagesOf(query), query.hint, context),
      filter: compileFilter(query.filter, context),
    };
  const find = collection && prepareFind(database.file, collection, query, context);
  return {
    collection,
    find,
    filter: find?.filter ?? compileFilter(query.filter, context),
    rest: [],
    rows: (counts) => find?.rows(counts) ?? [],
    count: () => find?.count() ?? 0,
  };
}

/** Prepares a pipeline on a collection or view; as much as possible of its beginning is left to an index. */
export function prepareStages(
  database: Database,
  db: string,
  name: string,
  stages: readonly Value[],
  hint: string | Doc | undefined,
  context: QueryContext,
): Omit<Read, 'filter'> {
  const { collection, stages: viewStages } = resolve(database, db, name);
  const { query, rest } = pushDown([...viewStages, ...stages], hint);
  if (isDoc(rest[0]) && rest[0].has('$documents'))
    throw new DatabaseError(73, "'$documents' can only be run with database aggregation, as {aggregate: 1}");
  const find = collection && prepareFind(database.file, collection, query, context);
  if (find === undefined) compileFilter(query.filter, context);
  if (find?.context.textScore !== undefined) checkScores(rest);
  const isCount = rest.length === 1 && equals(rest[0], COUNT_ALL);
  if (context.texts !== undefined && !isCount) checkCollated(rest);
  const pipeline = rest.length === 0 ? undefined : compilePipeline(rest, pipelineContext(database, db, find?.context ?? context));
  const rows = (counts?: Counts): Iterable<Result> => {
    if (pipeline === undefined) return find?.rows(counts) ?? [];
    if (find !== undefined && isCount) return results(countAll(find.count()));
    return results(pipeline.run(docsOf(find, counts)));
  };
  return { collection, find, rest, rows, count: () => Array.from(rows(), () => 1).length };
}

/** What pipelines see of the database around them. */
export function pipelineContext(database: Database, db: string, context: QueryContext): PipelineContext {
  const { cells: _, ...outer } = context;
  return {
    ...context,
    collection: (name, filter = new Map()) => docsOf(prepareRead(database, db, name, { filter }, outer)),
    isIndexed(name, path) {
      const { collection, stages } = resolve(database, db, name);
      return stages.length === 0 && collection?.indexes.some((index) => index.leadsBy(path)) === true;
    },
  };
}

/** Documents that were made, in the form in which stored ones come. */
export function* results(docs: Iterable<Doc>): Generator<Result> {
  for (const doc of docs) yield { doc, document: encode(doc) };
}

function resolve({ catalog }: Database, db: string, name: string): { collection: Collection | undefined; stages: Value[] } {
  const stages: Value[] = [];
  let collection = catalog.get(db, name);
  for (let depth = 0; collection?.options.has('viewOn'); depth++) {
    if (depth === MAX_VIEWS) throw new DatabaseError(165, `View depth too deep; maximum is ${MAX_VIEWS}`);
    stages.unshift(...((collection.options.get('pipeline') ?? []) as Value[]));
    collection = catalog.get(db, collection.options.get('viewOn') as string);
  }
  return { collection, stages };
}

function stagesOf({ filter, sort, skip, limit }: FindQuery): Value[] {
  const stages: Value[] = [new Map([['$match', filter]])];
  if (sort !== undefined && sort.size > 0) stages.push(new Map([['$sort', sort]]));
  if (skip !== undefined && skip > 0) stages.push(new Map([['$skip', Long.fromNumber(skip)]]));
  if (limit !== undefined) stages.push(new Map([['$limit', Long.fromNumber(limit)]]));
  return stages;
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

function* docsOf(read: Pick<Read, 'rows'> | undefined, counts?: Counts): Generator<Doc> {
  if (read !== undefined) for (const { doc } of read.rows(counts)) yield doc;
}
