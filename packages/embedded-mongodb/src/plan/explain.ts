import { Int32 } from 'bson';
import { showValue } from '../storage/index/duplicate-key.ts';
import { typeByte } from '../storage/index/key.ts';
import { bsonType, type Doc, type Value } from '../values/value.ts';
import type { Find } from './find.ts';
import type { Interval } from './intervals.ts';
import type { Counts, IndexPlan, Plan, TextPlan } from './plan.ts';

/**
 * The plan of a find as the stages that `explain` shows; with `counts`, also how much they read.
 */
export function explainFind({ plan, query }: Find, counts?: Counts): Doc {
  const { filter, sort, skip = 0, limit } = query;
  let stage = access(plan, filter, counts);
  if (!plan.sorted && sort !== undefined)
    stage = above(stage, 'SORT', [
      ['sortPattern', sort],
      ...(limit === undefined ? [] : [['limitAmount', new Int32(skip + limit)] as const]),
    ]);
  if (skip > 0) stage = above(stage, 'SKIP', [['skipAmount', new Int32(skip)]]);
  return limit === undefined ? stage : above(stage, 'LIMIT', [['limitAmount', new Int32(limit)]]);
}

function above(inputStage: Doc, stage: string, fields: Iterable<readonly [string, Value]> = []): Doc {
  return new Map<string, Value>([['stage', stage], ...fields, ['inputStage', inputStage]]);
}

function access(plan: Plan, filter: Doc, counts: Counts | undefined): Doc {
  if (plan.text !== undefined) return textMatch(plan.text, filter, counts);
  if (plan.index === undefined) return collectionScan(plan.backward, filter, counts);
  return above(indexScan(plan.index, counts), 'FETCH', [
    ...(plan.residual.size === 0 ? [] : [['filter', plan.residual] as const]),
    ...(counts === undefined ? [] : [['docsExamined', new Int32(counts.documents)] as const]),
  ]);
}

/**
 * MongoDB's stages: find the documents that have the words, keep those that have the phrases, then
 * apply the rest of the filter.
 */
function textMatch({ index, search, order }: TextPlan, filter: Doc, counts: Counts | undefined): Doc {
  const scan = new Map<string, Value>([
    ['stage', 'IXSCAN'],
    ['keyPattern', index.pattern],
    ['indexName', index.name],
    ...(order === undefined ? [] : [['orderedBy', order.by.index.name] as const]),
    ...(counts === undefined ? [] : [['keysExamined', new Int32(counts.keys)] as const]),
  ]);
  const parsed = new Map<string, Value>([
    ['terms', [...search.words]],
    ['negatedTerms', [...search.withoutWords]],
    ['phrases', [...search.phrases]],
    ['negatedPhrases', [...search.withoutPhrases]],
  ]);
  const match = above(scan, 'TEXT_MATCH', [
    ['indexName', index.name],
    ['parsedTextQuery', parsed],
  ]);
  return above(match, 'FETCH', [
    ['filter', filter],
    ...(counts === undefined ? [] : [['docsExamined', new Int32(counts.documents)] as const]),
  ]);
}

function collectionScan(backward: boolean, filter: Doc, counts: Counts | undefined): Doc {
  return new Map<string, Value>([
    ['stage', 'COLLSCAN'],
    ...(filter.size === 0 ? [] : [['filter', filter] as const]),
    ['direction', backward ? 'backward' : 'forward'],
    ...(counts === undefined ? [] : [['docsExamined', new Int32(counts.documents)] as const]),
  ]);
}

function indexScan({ index, intervals, backward }: IndexPlan, counts: Counts | undefined): Doc {
  return new Map<string, Value>([
    ['stage', 'IXSCAN'],
    ['keyPattern', index.pattern],
    ['indexName', index.name],
    ['isMultiKey', index.multikey !== 0],
    ['isUnique', index.unique],
    ['isSparse', index.sparse],
    ['isPartial', index.partialFilter !== undefined],
    ['direction', backward ? 'backward' : 'forward'],
    ['indexBounds', new Map(index.fields.map(({ name }, i) => [name, (intervals[i] ?? [undefined]).map(showInterval)]))],
    ...(counts === undefined ? [] : [['keysExamined', new Int32(counts.keys)] as const]),
  ]);
}

function showInterval(interval: Interval | undefined): string {
  if (interval === undefined) return '[MinKey, MaxKey]';
  const { low, high } = interval;
  return `${low.inclusive ? '[' : '('}${showEnd(low, 'low')}, ${showEnd(high, 'high')}${high.inclusive ? ']' : ')'}`;
}

/** A bound that does not come from the filter is the boundary of its BSON type. */
function showEnd({ key, value }: Interval['low'], end: 'low' | 'high'): string {
  if (value !== undefined) return showValue(value);
  const ends = typeEnds.get(key[0] as number) ?? ['MinKey', 'MaxKey'];
  return end === 'low' ? ends[0] : ends[1];
}

const typeEnds: ReadonlyMap<number, readonly [string, string]> = new Map([
  [typeByte(bsonType.double), ['-Infinity', 'Infinity']],
  [typeByte(bsonType.string), ['""', '{}']],
  [typeByte(bsonType.object), ['{}', '[]']],
]);
