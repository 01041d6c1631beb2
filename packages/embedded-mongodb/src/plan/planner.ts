import { ObjectId } from 'bson';
import { analyseFilter, type PathBounds } from '../match/analyse.ts';
import type { Collection } from '../storage/collection.ts';
import type { StoredIndex } from '../storage/index/stored-index.ts';
import { topOf } from '../values/path.ts';
import { type Doc, isDoc } from '../values/value.ts';
import { holdsAllMatches } from './index-coverage.ts';
import { type Interval, intervalsOf, pointAt, rangesOf, sayAll, successor } from './intervals.ts';
import type { IndexPlan, Plan, Query } from './plan.ts';
import { planText } from './text-plan.ts';
import { textOf } from './text-search.ts';

/** Beyond this number of ranges, a filter on the documents is cheaper than one lookup per range. */
const maxRanges = 20_000;

export function planQuery(collection: Collection, query: Query): Plan {
  return planId(collection, query.filter) ?? planAny(collection, query);
}

/**
 * Most queries name an `_id`, which at most one document has, so no other index need be considered.
 */
function planId(collection: Collection, filter: Doc): Plan | undefined {
  const id = filter.get('_id');
  const [index] = collection.indexes;
  if (!(id instanceof ObjectId) || index?.name !== '_id_' || index.kind === 'text' || filter.has('$text')) return undefined;
  const point = pointAt(id);
  const { key } = point.low;
  const residual: Doc = new Map(filter);
  residual.delete('_id');
  const ranges = [{ low: key, high: successor(key) }];
  const byId = { index, ranges, intervals: [[point]], backward: false, residual, sorted: true, isUnique: true };
  return { index: byId, backward: false, residual, sorted: true };
}

function planAny(collection: Collection, query: Query): Plan {
  const bounds = analyseFilter(query.filter);
  const operand = textOf(query.filter);
  const isUnsorted = isEmpty(query.sort);
  const plans = collection.ordered
    .map((index) => planIndex(index, bounds, query))
    .filter((plan) => plan !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ plan }) => plan);
  if (operand !== undefined) {
    const inOrder = isUnsorted ? undefined : plans.find(({ sorted }) => sorted);
    const text = planText(collection, operand, bounds, query.sort, inOrder);
    return { index: undefined, text, backward: false, residual: query.filter, sorted: isUnsorted || inOrder !== undefined };
  }
  const { backward = false, residual = query.filter, sorted = isUnsorted } = plans[0] ?? {};
  return { index: plans[0], backward, residual, sorted };
}

function isEmpty(doc: Doc | undefined): boolean {
  return doc === undefined || doc.size === 0;
}

function planIndex(
  index: StoredIndex,
  bounds: Map<string, PathBounds>,
  query: Query,
): { plan: IndexPlan; score: number } | undefined {
  if (!holdsAllMatches(index, bounds, query.filter)) return undefined;
  const intervals = index.fields.map((_, i) => fieldIntervals(index, i, bounds));
  const bounded = intervals.indexOf(undefined);
  const used = intervals.slice(0, bounded === -1 ? intervals.length : bounded) as Interval[][];
  const range = used.findIndex((list) => !list.every(({ point }) => point));
  const prefix = affordable(used.slice(0, range === -1 ? used.length : range + 1));
  const order = sortOrder(index, prefix, query.sort);
  if (prefix.length === 0 && (order === undefined || isEmpty(query.sort))) return undefined;
  const backward = order === 'backward';
  const ranges = rangesOf(index.fields, prefix);
  const sorted = order !== undefined || ranges.length === 0;
  const residual = residualOf(index, prefix, bounds, query.filter);
  return {
    plan: { index, ranges: backward ? ranges.toReversed() : ranges, intervals: prefix, backward, residual, sorted },
    score: score(index, prefix, sorted && !isEmpty(query.sort)),
  };
}

/**
 * Rates a plan. A field with points counts most, then an order that saves sorting, then a range. A
 * match of a whole unique index beats all others.
 */
function score(index: StoredIndex, prefix: readonly Interval[][], sorts: boolean): number {
  const points = prefix.filter((list) => list.every(({ point }) => point)).length;
  const unique = index.unique && points === index.fields.length && prefix.every((list) => list.length <= 1);
  return (unique ? 1000 : 0) + points * 10 + (prefix.length - points) * 6 + (sorts ? 8 : 0) - index.fields.length * 0.1;
}

function fieldIntervals(index: StoredIndex, i: number, bounds: Map<string, PathBounds>): Interval[] | undefined {
  const field = index.fields[i];
  const found = field && bounds.get(field.name);
  // In `a.0`, the 0 may be a position or a name, and the index does not know which.
  if (field === undefined || found === undefined || /\.\d+(\.|$)/.test(field.name)) return undefined;
  const multikey = isMultikey(index, i);
  // If two fields of an index lead into the same array, different elements may meet their
  // predicates. Only the first field can be bounded.
  const sharesArray = (other: number) => isMultikey(index, other) && topOf(index.fields[other]?.name ?? '') === topOf(field.name);
  if (multikey && index.fields.some((_, other) => other < i && sharesArray(other))) return undefined;
  return intervalsOf(found, !multikey);
}

function isMultikey(index: StoredIndex, field: number): boolean {
  return (index.multikey & (1 << field)) !== 0;
}

/**
 * The part of the filter that the intervals do not answer. If a field leads through arrays, ranges
 * do not answer it, because two elements may meet the two ends.
 */
function residualOf(index: StoredIndex, prefix: readonly Interval[][], bounds: Map<string, PathBounds>, filter: Doc): Doc {
  const tells = (path: string, i = index.fields.findIndex(({ name }) => name === path)) =>
    prefix[i] !== undefined &&
    sayAll(bounds.get(path) as PathBounds) &&
    (!isMultikey(index, i) || prefix[i].every(({ point }) => point));
  if ([...bounds.keys()].every((path) => tells(path))) return new Map();
  return new Map([...filter].filter(([name]) => !tells(name)));
}

/** The first fields, as far as the product of their intervals stays within `maxRanges`. */
function affordable(used: readonly Interval[][]): Interval[][] {
  let ranges = 1;
  const tooMany = used.findIndex((list) => {
    ranges *= list.length;
    return ranges > maxRanges;
  });
  return used.slice(0, tooMany === -1 ? used.length : tooMany);
}

/** The direction in which the index returns the documents sorted; `undefined` if it cannot. */
function sortOrder(index: StoredIndex, prefix: readonly Interval[][], sort: Doc | undefined): 'forward' | 'backward' | undefined {
  if (sort === undefined || sort.size === 0) return 'forward';
  const fixed = (i: number) => prefix[i]?.length === 1 && prefix[i]?.[0]?.point === true;
  const constant = (name: string) => index.fields.some((field, i) => field.name === name && fixed(i) && !isMultikey(index, i));
  const wanted = [...sort].filter(([name]) => !constant(name));
  let direction: boolean | undefined;
  let at = 0;
  for (const [name, value] of wanted) {
    while (at < index.fields.length && index.fields[at]?.name !== name && fixed(at)) at++;
    const field = index.fields[at];
    if (field?.name !== name || isMultikey(index, at) || isDoc(value)) return undefined;
    const backward = Number(String(value)) < 0 !== field.descending;
    if (direction !== undefined && direction !== backward) return undefined;
    direction = backward;
    at++;
  }
  return direction === true ? 'backward' : 'forward';
}
