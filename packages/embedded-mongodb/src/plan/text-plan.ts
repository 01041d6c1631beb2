import type { PathBounds } from '../match/analyse.ts';
import type { Collection } from '../storage/collection.ts';
import { DatabaseError } from '../values/errors.ts';
import type { Doc } from '../values/value.ts';
import { type Interval, intervalsOf, rangesOf } from './intervals.ts';
import type { IndexPlan } from './planner.ts';
import { parseSearch, textIndexOf } from './text-search.ts';

/** Finds the documents with any of the words of a `$text`; what else it and the filter demand is left to the filter. */
export function planText(
  collection: Collection,
  operand: Doc,
  bounds: ReadonlyMap<string, PathBounds>,
  isSorted: boolean,
): IndexPlan {
  const index = textIndexOf(collection);
  const prefix = index.text.prefix.map(({ name }) => pointsOf(bounds.get(name)));
  const words = pointsOf({ in: [...parseSearch(operand, index.text).words], exact: false });
  const intervals = [...prefix, words];
  return { index, ranges: rangesOf(index.fields, intervals), intervals, backward: false, exact: false, sorted: isSorted };
}

function pointsOf(bounds: PathBounds | undefined): Interval[] {
  const points = bounds && intervalsOf(bounds, false);
  if (points?.every(({ point }) => point)) return points;
  throw new DatabaseError(
    291,
    'error processing query: planner returned error: failed to use text index to satisfy $text query (if text index is compound, are equality predicates given for all prefix fields?)',
  );
}
