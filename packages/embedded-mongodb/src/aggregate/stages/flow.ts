import { compileFilter } from '../../match/filter.ts';
import { compileSort, type Sort } from '../../match/sort.ts';
import { DatabaseError } from '../../values/errors.ts';
import { integerOf } from '../../values/numbers.ts';
import { type Doc, isDoc, isNumber, type Maybe, type Value } from '../../values/value.ts';
import type { Stage, StageCompiler } from './stage.ts';

/** Stages that let documents through: which of them, how many, in which order. */
export const flow: Readonly<Record<string, StageCompiler>> = {
  $match: (spec, context) => {
    if (!isDoc(spec)) throw new DatabaseError(15959, 'the match filter must be an expression in an object');
    const { matches } = compileFilter(spec, context);
    return function* (input) {
      for (const doc of input) if (matches(doc)) yield doc;
    };
  },
  $limit: (spec) => {
    const limit = countOf(spec, '$limit', 5107201);
    if (limit === 0) throw new DatabaseError(15958, 'the limit must be positive');
    return function* (input) {
      let left = limit;
      for (const doc of input) {
        yield doc;
        left--;
        if (left === 0) return;
      }
    };
  },
  $skip: (spec) => {
    const skip = countOf(spec, '$skip', 5107200);
    return function* (input) {
      let left = skip;
      for (const doc of input) {
        if (left === 0) yield doc;
        else left--;
      }
    };
  },
  $sort: (spec, context) => {
    if (!isDoc(spec)) throw new DatabaseError(15973, 'the $sort key specification must be an object');
    if (spec.size === 0) throw new DatabaseError(15976, '$sort stage must have at least one sort key');
    return sorting(compileSort(spec), context.limit);
  },
};

/** A stage that sorts all that comes; it keeps no more than twice what is asked for, if that is known. */
function sorting(sort: Sort, limit = Number.POSITIVE_INFINITY): Stage {
  return function* (input) {
    let keyed: { doc: Doc; key: Maybe[] }[] = [];
    const settle = () => keyed.sort((a, b) => sort.compareKeys(a.key, b.key)).slice(0, limit);
    for (const doc of input) {
      keyed.push({ doc, key: sort.keyOf(doc) });
      if (keyed.length > 2 * limit + spare) keyed = settle();
    }
    for (const { doc } of settle()) yield doc;
  };
}

/** Sorting a few documents more at once is cheaper than sorting often. */
const spare = 100;

/** How many documents a stage lets through, `undefined` for all other stages. */
export function limitOf(stage: Maybe): number | undefined {
  const limit = isDoc(stage) ? stage.get('$limit') : undefined;
  const whole = isNumber(limit) ? integerOf(limit) : undefined;
  return whole !== undefined && whole > 0 ? whole : undefined;
}

function countOf(spec: Value, name: string, code: number): number {
  const whole = isNumber(spec) ? integerOf(spec) : undefined;
  if (whole !== undefined && whole >= 0) return whole;
  throw new DatabaseError(code, `invalid argument to ${name} stage: Expected a non-negative number in: ${name}: ${String(spec)}`);
}
