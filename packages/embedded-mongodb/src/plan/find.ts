import { compileFilter, type Filter } from '../match/filter.ts';
import { compileSort } from '../match/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { DatabaseFile } from '../storage/file.ts';
import { DatabaseError } from '../values/errors.ts';
import type { Doc, Maybe } from '../values/value.ts';
import { type Counts, execute, Row } from './execute.ts';
import { type Plan, planQuery, type Query } from './planner.ts';
import type { QueryContext } from './query-context.ts';
import { withText } from './text-search.ts';

/** A query with what is to be left out of its answer. */
export type FindQuery = Query & {
  readonly skip?: number | undefined;
  /** None: all. */
  readonly limit?: number | undefined;
  /** The fields of the documents that filter, sort and whoever gets them look at. None: all. */
  readonly fields?: ReadonlySet<string> | undefined;
};

/** A query that is planned and ready to run. */
export type Find = {
  readonly query: FindQuery;
  /** What the caller gave, with the scores of a `$text`. */
  readonly context: QueryContext;
  readonly plan: Plan;
  readonly filter: Filter;
  /** The documents asked for, each read from disk when it is taken. */
  rows(counts?: Counts): Generator<Row>;
  /** How many those are, without reading them if the index or the whole collection tells. */
  count(): number;
};

/** MongoDB's limit on what a sort may hold in memory. */
const maxSortBytes = 100 * 1024 * 1024;

/** Prepares a query on a collection. */
export function prepareFind(file: DatabaseFile, collection: Collection, query: FindQuery, asked: QueryContext): Find {
  const context = withText(collection, query.filter, asked);
  const filter = compileFilter(query.filter, context);
  const plan = planQuery(collection, query);
  const { skip = 0, limit, sort, fields } = query;
  const wanted = limit === undefined ? undefined : skip + limit;
  const rows = (counts?: Counts) => {
    const found = execute(file, collection, plan, filter, plan.sorted ? wanted : undefined, context.timeLimit, counts, fields);
    const ordered = plan.sorted || sort === undefined ? found : sorted(found, sort, wanted);
    return skip === 0 && limit === undefined ? ordered : slice(ordered, skip, limit);
  };
  return {
    query,
    context,
    plan,
    filter,
    rows,
    count() {
      if (!plan.exact) return Array.from(rows(), () => 1).length;
      const { index } = plan;
      const all =
        index === undefined ? collection.totals().count : index.ranges.reduce((sum, range) => sum + index.index.count(range), 0);
      return Math.min(Math.max(all - skip, 0), limit ?? Number.POSITIVE_INFINITY);
    },
  };
}

function* slice(rows: Generator<Row>, skip: number, limit: number | undefined): Generator<Row> {
  let at = 0;
  if (limit === 0) return;
  for (const row of rows) {
    if (++at <= skip) continue;
    yield row;
    if (limit !== undefined && at >= skip + limit) return;
  }
}

/** Sorts in memory; of a limited query no more is kept than it can need. */
function* sorted(rows: Iterable<Row>, spec: Doc, wanted: number | undefined): Generator<Row> {
  const sort = compileSort(spec);
  const compare = (a: Keyed, b: Keyed) => sort.compareKeys(a.key, b.key);
  let kept: Keyed[] = [];
  let bytes = 0;
  for (const row of rows) {
    kept.push({ key: sort.keyOf(row.doc), row: new Row(row, row.fields) });
    bytes += row.document.length;
    if (wanted !== undefined && kept.length >= 2 * wanted + 1000) {
      kept = kept.sort(compare).slice(0, wanted);
      bytes = kept.reduce((sum, { row }) => sum + row.document.length, 0);
    }
    if (bytes > maxSortBytes) {
      const message = `Sort exceeded memory limit of ${maxSortBytes} bytes, but did not opt in to external sorting.`;
      throw new DatabaseError(292, `Executor error during find command :: caused by :: ${message}`);
    }
  }
  for (const { row } of kept.sort(compare)) yield row;
}

/** The row beside its key is a fresh one, so that the decoded document need not stay in memory. */
type Keyed = {
  readonly key: readonly Maybe[];
  readonly row: Row;
};
