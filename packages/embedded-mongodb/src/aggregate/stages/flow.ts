import { compileFilter } from '../../match/filter.ts';
import { compileSort } from '../../match/sort.ts';
import { sorted } from '../../match/sorting.ts';
import { DatabaseError } from '../../values/errors.ts';
import { integerOf } from '../../values/numbers.ts';
import { sizeOf } from '../../values/size.ts';
import { type Doc, isDoc, isNumber, type Maybe } from '../../values/value.ts';
import type { Docs, StageCompiler } from './stage.ts';

/** Stages that pass documents through unchanged: they select, limit or sort. */
export const flow: Readonly<Record<string, StageCompiler>> = {
  $match: (spec, context) => {
    if (!isDoc(spec)) throw new DatabaseError(15959, 'the match filter must be an expression in an object');
    const { matches } = compileFilter(spec, context);
    return (input) => passing(input, matches);
  },
  $limit: (spec) => {
    const limit = isNumber(spec) ? integerOf(spec) : undefined;
    if (limit === undefined || limit < 0)
      throw new DatabaseError(
        5107201,
        `invalid argument to $limit stage: Expected a non-negative number in: $limit: ${String(spec)}`,
      );
    if (limit === 0) throw new DatabaseError(15958, 'the limit must be positive');
    return (input) => first(input, limit);
  },
  $sort: (spec, context) => {
    if (!isDoc(spec)) throw new DatabaseError(15973, 'the $sort key specification must be an object');
    if (spec.size === 0) throw new DatabaseError(15976, '$sort stage must have at least one sort key');
    const sort = compileSort(spec);
    return (input) => sorted(input, sort, { docOf: (doc) => doc, sizeOf }, context.operation, context.limit);
  },
};

function* passing(input: Docs, matches: (doc: Doc) => boolean): Generator<Doc | undefined> {
  for (const doc of input) if (doc === undefined || matches(doc)) yield doc;
}

function* first(input: Docs, limit: number): Generator<Doc | undefined> {
  let left = limit;
  for (const doc of input) {
    yield doc;
    if (doc !== undefined) left--;
    if (left === 0) return;
  }
}

/** The limit of a `$limit` stage; `undefined` for any other stage. */
export function limitOf(stage: Maybe): number | undefined {
  const limit = isDoc(stage) ? stage.get('$limit') : undefined;
  const whole = isNumber(limit) ? integerOf(limit) : undefined;
  return whole !== undefined && whole > 0 ? whole : undefined;
}
