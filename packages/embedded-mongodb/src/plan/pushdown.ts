import { ObjectId } from 'bson';
import { limitOf } from '../aggregate/stages/flow.ts';
import { topOf } from '../values/path.ts';
import { isFlag, isTrue } from '../values/truth.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import type { FindQuery, ShownFields } from './find.ts';

/**
 * Splits a pipeline into one find, which can use an index, and the remaining stages. The find takes
 * over `$match`, `$sort` and `$limit` stages at the beginning, if their order allows it.
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
  const rest = pipeline.slice(at);
  return { query: { filter, sort, limit, shown: shownTo(rest) }, rest };
}

/** The fields that the stages read from their input; `undefined` if they may read all. */
function shownTo([stage]: readonly Value[]): ShownFields | undefined {
  // Without stages, the stored bytes are returned and nothing need be decoded.
  if (stage === undefined) return [];
  const spec = operandOf(stage, '$project');
  return isDoc(spec) ? shownByProject(spec) : undefined;
}

function shownByProject(spec: Doc): ShownFields | undefined {
  const shown: [string, (Value | undefined)?][] = [['_id']];
  const look = (path: string, elements?: Value) => {
    shown.push([topOf(path), elements]);
    return true;
  };
  const isSeen = (value: Value): boolean => {
    if (typeof value === 'string' && value.startsWith('$$')) return !/^\$\$(ROOT|CURRENT)\b/.test(value);
    if (typeof value === 'string' && value.startsWith('$')) return look(value.slice(1));
    if (Array.isArray(value)) return value.every(isSeen);
    return !isDoc(value) || (!value.has('$meta') && [...value.values()].every(isSeen));
  };
  const isComplete = [...spec].every(([path, value]) => {
    if (isFlag(value)) return (path === '_id' || isTrue(value)) && look(path);
    // `a.b` is set inside the existing value of `a`, so `a` is read too.
    if (path.includes('.')) look(path);
    const filtered = filteredByIds(value);
    return filtered === undefined ? isSeen(value) : look(filtered.name, filtered.match);
  });
  return isComplete ? shown : undefined;
}

/**
 * Recognizes a `$filter` for array elements with certain ids. Example:
 * `{ $filter: { input: '$members', as: 'member', cond: { $in: ['$$member.user', ids] } } }`
 */
function filteredByIds(value: Value): { name: string; match: Doc } | undefined {
  const filter = operandOf(value, '$filter');
  if (!isDoc(filter)) return undefined;
  const input = filter.get('input');
  const variable = `$$${filter.get('as') ?? 'this'}.`;
  const condition = operandOf(filter.get('cond'), '$in');
  const [item, ids] = Array.isArray(condition) ? condition : [];
  if (typeof input !== 'string' || !/^\$[^$.]+$/.test(input)) return undefined;
  if (typeof item !== 'string' || !item.startsWith(variable)) return undefined;
  if (!Array.isArray(ids) || !ids.every((id) => id instanceof ObjectId)) return undefined;
  const match: Doc = new Map([[item.slice(variable.length), new Map([['$in', ids]])]]);
  return { name: input.slice(1), match: new Map([['$elemMatch', match]]) };
}

const operandOf = (value: Value | undefined, operator: string): Value | undefined =>
  isDoc(value) && value.size === 1 ? value.get(operator) : undefined;
