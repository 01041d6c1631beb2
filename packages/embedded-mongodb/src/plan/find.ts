import { ObjectId } from 'bson';
import type { Context } from '../context.ts';
import { compileFilter } from '../match/filter.ts';
import { compileSort } from '../match/sort.ts';
import { sorted } from '../match/sorting.ts';
import { Operation } from '../operation.ts';
import type { Collection } from '../storage/collection.ts';
import type { DatabaseFile } from '../storage/file/file.ts';
import { type ElementFilter, type Fields, idNumber } from '../values/bson-reader.ts';
import { topOf } from '../values/path.ts';
import { asBuffer } from '../values/raw.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { execute, Row } from './execute.ts';
import type { Counts, IndexPlan, Plan, Query, TextPlan } from './plan.ts';
import { planQuery } from './planner.ts';
import { scoreOf } from './text-search.ts';

/**
 * The fields that the caller of a find reads, as the entries of a projection. A value such as
 * `{ $elemMatch: … }` limits the read to some elements of an array.
 */
export type ShownFields = Iterable<readonly [path: string, elements?: Value | undefined]>;

/** A query with its skip, limit and projection. */
export type FindQuery = Query & {
  readonly skip?: number | undefined;
  /** Default: all documents. */
  readonly limit?: number | undefined;
  /** The fields that the caller reads. Without it, all fields. */
  readonly shown?: ShownFields | undefined;
};

/** A planned query. */
export type Find = {
  readonly query: FindQuery;
  readonly plan: Plan;
  /** The relevance of a document to a `$text` search. */
  readonly textScore: Context['textScore'];
  /**
   * The requested documents, each read from disk on demand, and `undefined` at points at which
   * other commands may run.
   */
  rows(counts?: Counts): Generator<Row | undefined>;
  /**
   * Counts the requested documents from the index or collection size, if no document need be read.
   */
  readonly count: (() => number) | undefined;
};

export function prepareFind(file: DatabaseFile, collection: Collection, query: FindQuery, context: Context): Find {
  const plan = planQuery(collection, query);
  const inFilter = { ...context, hasText: plan.text !== undefined };
  const filter = compileFilter(plan.residual, inFilter);
  // Predicates that an index answers are compiled as well, so that invalid ones are rejected.
  if (plan.residual.size < query.filter.size) compileFilter(without(query.filter, plan.residual), inFilter);
  const { operation = new Operation() } = context;
  const { skip = 0, limit, sort, shown } = query;
  const fields = shown && fieldsOf(plan.residual, plan.sorted ? undefined : sort, shown);
  const wanted = limit === undefined ? undefined : skip + limit;
  const rows = (counts?: Counts) => {
    const expected = plan.sorted ? wanted : undefined;
    const found = execute(plan, filter, { file, collection, expected, operation }, fields, counts);
    const ordered = plan.sorted || sort === undefined ? found : sorted(found, compileSort(sort), sortable, operation, wanted);
    return skip === 0 && limit === undefined ? ordered : slice(ordered, skip, limit);
  };
  // In a multikey index, a document may have several keys.
  const isCounted = plan.residual.size === 0 && !plan.text && !plan.index?.index.multikey;
  const count = () => {
    const all = plan.index?.ranges.reduce((sum, range) => sum + (plan.index as IndexPlan).index.count(range), 0);
    return Math.min(Math.max((all ?? collection.count()) - skip, 0), limit ?? Number.POSITIVE_INFINITY);
  };
  return { query, plan, textScore: plan.text && scoring(plan.text), rows, count: isCounted ? count : undefined };
}

const without = (filter: Doc, part: Doc): Doc => new Map([...filter].filter(([name]) => !part.has(name)));

/**
 * The top-level fields that a filter, a sort and a projection read; `undefined` if they may read
 * any field.
 */
export function fieldsOf(filter: Doc, sort: Doc = new Map(), shown: ShownFields = []): Fields | undefined {
  const fields = new Map<string, ElementFilter | undefined>();
  const look = (path: string, value?: Value) => {
    const name = topOf(path);
    const narrowing = narrowingOf(path, value);
    fields.set(name, fields.has(name) ? both(fields.get(name), narrowing) : narrowing);
    return true;
  };
  const add = (filter: Doc): boolean =>
    [...filter].every(([name, value]) => {
      if (!name.startsWith('$')) return look(name, value);
      return logic.has(name) && Array.isArray(value) && value.every((part) => isDoc(part) && add(part));
    });
  for (const name of sort.keys()) look(name);
  for (const [path, elements] of shown) look(path, elements);
  const isComplete = add(filter) && [...sort.values()].every((direction) => !isDoc(direction));
  return isComplete ? fields : undefined;
}

/**
 * The array elements that a predicate can match: those whose field is one of some ids. Examples:
 * `{ 'members.user': id }`, `{ members: { $elemMatch: { user: id } } }`, or the same with
 * `{ $in: ids }`. `{ members: { $size: 1 } }` needs no element, only the length.
 */
function narrowingOf(path: string, value: Value | undefined): ElementFilter | undefined {
  const [, field, ...deeper] = path.split('.');
  if (field === undefined && isDoc(value) && value.size === 1 && value.has('$size')) return onlyLength;
  if (field !== undefined && /^\d+$/.test(field)) return undefined;
  const match = field === undefined && isDoc(value) && value.size === 1 ? value.get('$elemMatch') : undefined;
  const inElement: Iterable<[string | undefined, Value | undefined]> = isDoc(match) ? match : [[field, value]];
  for (const [name, asked] of inElement) {
    const ids = idsIn(asked);
    if (ids !== undefined && name !== undefined && !name.includes('.') && deeper.length === 0)
      return { field: Buffer.from(name), ids: new Set(ids.map(({ id }) => idNumber(asBuffer(id)))) };
  }
  return undefined;
}

function idsIn(asked: Value | undefined): ObjectId[] | undefined {
  const list = isDoc(asked) ? asked.get('$in') : [asked];
  return Array.isArray(list) && list.every((item) => item instanceof ObjectId) ? list : undefined;
}

/** The union of two sets of array elements. */
function both(one: ElementFilter | undefined, other: ElementFilter | undefined): ElementFilter | undefined {
  if (one === undefined || other === undefined) return undefined;
  const needsLength = one.needsLength === true || other.needsLength === true;
  if (one.field === undefined || other.field === undefined) return { ...(one.field === undefined ? other : one), needsLength };
  if (!one.field.equals(other.field)) return undefined;
  return { field: one.field, ids: new Set([...one.ids, ...other.ids]), needsLength };
}

const onlyLength: ElementFilter = { ids: new Set(), needsLength: true };

const logic: ReadonlySet<string> = new Set(['$and', '$or', '$nor']);

function* slice(rows: Generator<Row | undefined>, skip: number, limit: number | undefined): Generator<Row | undefined> {
  let at = 0;
  if (limit === 0) return;
  for (const row of rows) {
    if (row === undefined || ++at > skip) yield row;
    if (limit !== undefined && at >= skip + limit) return;
  }
}

/**
 * Keeps an undecoded row for a document that was decoded as a whole, so that the decoded fields can
 * be freed.
 */
const sortable = {
  docOf: ({ doc }: Row) => doc,
  kept: (row: Row) => (row.fields === undefined ? new Row(row) : row),
  sizeOf: ({ document, fields }: Row) => document.length * (fields === undefined ? 1 : 3) + 200,
};

function scoring({ index, search }: TextPlan): (doc: Doc) => number {
  return (doc) => scoreOf(index.textsOfDoc(doc), search.words);
}
