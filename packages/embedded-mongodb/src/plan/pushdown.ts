import { type Doc, isDoc, isNumber, type Value } from '../values/value.ts';
import type { FindQuery } from './find.ts';

/** The beginning of a pipeline that a find answers, by an index if there is one, and what is left to do. */
export type Pushdown = {
  readonly query: FindQuery;
  readonly rest: readonly Value[];
};

/** Takes `$match`, `$sort`, `$skip` and `$limit` off the beginning of a pipeline, as far as one find can do them in order. */
export function pushDown(pipeline: readonly Value[]): Pushdown {
  const filters: Doc[] = [];
  let sort: Doc | undefined;
  let skip: number | undefined;
  let limit: number | undefined;
  let at = 0;
  for (; at < pipeline.length; at++) {
    const [name, value] = stageOf(pipeline[at]);
    if (name === '$match' && isDoc(value) && skip === undefined && limit === undefined) filters.push(value);
    else if (name === '$sort' && isDoc(value) && sort === undefined && skip === undefined && limit === undefined) sort = value;
    else if (name === '$skip' && isCount(value) && skip === undefined && limit === undefined) skip = Number(String(value));
    else if (name === '$limit' && isCount(value) && limit === undefined && Number(String(value)) > 0)
      limit = Number(String(value));
    else break;
  }
  return { query: { filter: allOf(filters), sort, skip, limit }, rest: pipeline.slice(at) };
}

/** A stage's name and argument. */
export function stageOf(stage: Value | undefined): [string, Value | undefined] {
  if (!isDoc(stage) || stage.size !== 1) return ['', undefined];
  return [...stage][0] as [string, Value];
}

function allOf(filters: readonly Doc[]): Doc {
  if (filters.length <= 1) return filters[0] ?? new Map();
  return new Map([['$and', [...filters]]]);
}

function isCount(value: Value | undefined): boolean {
  return isNumber(value) && Number.isSafeInteger(Number(value.toString())) && Number(value.toString()) >= 0;
}
