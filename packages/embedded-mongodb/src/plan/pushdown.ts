import { limitOf } from '../aggregate/stages/flow.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import type { FindQuery } from './find.ts';

/**
 * What one find can answer of a pipeline, by an index if there is one, and the stages that are left to do: it takes `$match`, `$sort` and then
 * `$limit` off the beginning, as far as it does them in order.
 */
export function pushDown(pipeline: readonly Value[]): { query: FindQuery; rest: readonly Value[] } {
  const filters: Doc[] = [];
  let sort: Doc | undefined;
  let limit: number | undefined;
  let at = 0;
  for (; at < pipeline.length && limit === undefined; at++) {
    const stage = pipeline[at];
    const [[name, value] = [], other] = isDoc(stage) ? stage : [];
    if (other !== undefined) break;
    limit = limitOf(stage);
    if (name === '$match' && isDoc(value)) filters.push(value);
    else if (name === '$sort' && isDoc(value) && sort === undefined) sort = value;
    else if (limit === undefined) break;
  }
  const filter: Doc = filters.length > 1 ? new Map([['$and', filters]]) : (filters[0] ?? new Map());
  return { query: { filter, sort, limit }, rest: pipeline.slice(at) };
}
