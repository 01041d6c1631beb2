import { analyseFilter, type PathBounds } from '../match/analyse.ts';
import type { StoredIndex } from '../storage/index/stored-index.ts';
import { equals } from '../values/compare.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { byteRange, everything, intervalsOf, pointAt } from './intervals.ts';

/** True if the index has every document that matches the filter. */
export function holdsAllMatches(index: StoredIndex, bounds: Map<string, PathBounds>, filter: Doc): boolean {
  if (index.partialFilter !== undefined && !implies(filter, bounds, index.partialFilter)) return false;
  if (!index.sparse) return true;
  return index.fields.some(({ name }) => requiresValue(bounds.get(name), filter.get(name)));
}

/** True if a predicate matches only documents that have the field. */
function requiresValue(found: PathBounds | undefined, condition: Value | undefined): boolean {
  if (isDoc(condition) && condition.get('$exists') !== undefined) return truthy(condition.get('$exists'));
  if (found === undefined) return false;
  if (found.eq !== undefined) return found.eq !== null;
  if (found.in !== undefined) return found.in.every((value) => value !== null);
  return [found.gt, found.gte, found.lt, found.lte].some((side) => side !== undefined);
}

function truthy(value: Value | undefined): boolean {
  return value === true || (value !== null && typeof value === 'object' && Number(String(value)) !== 0);
}

/**
 * True if every document that matches `filter` also matches `partial`. False if that is uncertain.
 */
function implies(filter: Doc, bounds: Map<string, PathBounds>, partial: Doc): boolean {
  return [...partial].every(([path, condition]) => {
    if (path === '$and' && Array.isArray(condition))
      return condition.every((part) => isDoc(part) && implies(filter, bounds, part));
    const asked = filter.get(path);
    if (asked !== undefined && equals(asked, condition)) return true;
    const found = bounds.get(path);
    if (path.startsWith('$') || found === undefined) return false;
    if (!isDoc(condition) || ![...condition.keys()].some((name) => name.startsWith('$')))
      return found.eq !== undefined && equals(found.eq, condition);
    return [...condition].every(([operator, operand]) => impliesOperator(found, asked, operator, operand));
  });
}

function impliesOperator(found: PathBounds, asked: Value | undefined, operator: string, operand: Value): boolean {
  if (operator === '$exists') return truthy(operand) && requiresValue(found, asked);
  const values = found.eq !== undefined ? [found.eq] : found.in;
  if (values === undefined) return false;
  const bounds = analyseFilter(new Map([['value', new Map([[operator, operand]])]])).get('value');
  if (bounds?.exact !== true) return false;
  const allowed = intervalsOf(bounds, true);
  if (allowed === undefined) return false;
  return values.every((value) => {
    const point = pointAt(value);
    const at = byteRange(everything.low.key, point, false);
    return allowed
      .map((interval) => byteRange(everything.low.key, interval, false))
      .some(({ low, high }) => {
        return Buffer.compare(low, at.low) <= 0 && Buffer.compare(at.high, high) <= 0;
      });
  });
}
