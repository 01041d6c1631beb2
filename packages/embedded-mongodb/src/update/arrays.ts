import { isOperatorDoc } from '../match/fields.ts';
import { compileFilter } from '../match/filter.ts';
import { comparison } from '../match/operators.ts';
import { equals } from '../values/compare.ts';
import { badValue, typeMismatch } from '../values/errors.ts';
import { integerOf } from '../values/numbers.ts';
import { isDoc, isNumber, type Maybe, typeName, type Value } from '../values/value.ts';
import { idOf, type ModifierMaker } from './operators.ts';
import type { Modifier } from './tree.ts';

/** Update operators for arrays. */
export const arrayOperators: Readonly<Record<string, ModifierMaker>> = { $push: push, $addToSet: addToSet, $pull: pull };

function push(operand: Value): Modifier {
  const clauses = isDoc(operand) && operand.has('$each') ? operand : new Map([['$each', [operand]]]);
  for (const name of clauses.keys())
    if (name !== '$each' && name !== '$slice') throw badValue(`Unrecognized clause in $push: ${name}`);
  const items = eachOf(clauses.get('$each') as Value, '$push');
  const slice = sliceOf(clauses.get('$slice'));
  const applied = (old: readonly Value[]) => sliced([...old, ...items], slice);
  return {
    update(old, run, where) {
      if (!Array.isArray(old))
        throw badValue(`The field '${where}' must be an array but is of type ${typeName(old)} in document {_id: ${idOf(run)}}`);
      const result = applied(old);
      return result.length === old.length && result.every((item, i) => item === old[i]) ? old : result;
    },
    create: () => applied([]),
  };
}

function eachOf(value: Value, operator: '$push' | '$addToSet'): Value[] {
  if (Array.isArray(value)) return value;
  const refused = operator === '$push' ? badValue : typeMismatch;
  throw refused(`The argument to $each in ${operator} must be an array but it was of type: ${typeName(value)}`);
}

function sliceOf(value: Maybe): number | undefined {
  if (value === undefined) return undefined;
  const whole = isNumber(value) ? integerOf(value) : undefined;
  if (whole === undefined) throw badValue(`The value for $slice must be an integer value but was given type: ${typeName(value)}`);
  return whole;
}

/** The first `slice` elements or, if it is negative, the last. */
function sliced(items: Value[], slice: number | undefined): Value[] {
  if (slice === undefined) return items;
  return slice >= 0 ? items.slice(0, slice) : items.slice(slice);
}

function addToSet(operand: Value, path: string): Modifier {
  const each = isDoc(operand) && operand.has('$each') ? operand : new Map([['$each', [operand]]]);
  if (each.size > 1) throw badValue('Found unexpected fields after $each in $addToSet');
  const wanted = eachOf(each.get('$each') as Value, '$addToSet');
  const missing = (old: readonly Value[]) => {
    const added: Value[] = [];
    for (const item of wanted) if (![...old, ...added].some((other) => equals(other, item))) added.push(item);
    return added;
  };
  return {
    update(old) {
      if (!Array.isArray(old))
        throw badValue(`Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(old)}`);
      const added = missing(old);
      return added.length === 0 ? old : [...old, ...added];
    },
    create: () => missing([]),
  };
}

function pull(operand: Value): Modifier {
  const goes = pullCondition(operand);
  return {
    update(old) {
      if (!Array.isArray(old)) throw badValue('Cannot apply $pull to a non-array value');
      const kept = old.filter((item) => !goes(item));
      return kept.length === old.length ? old : kept;
    },
  };
}

/**
 * A document without operators matches as a filter of documents, operators match each element as a
 * value, and anything else matches by equality.
 */
function pullCondition(operand: Value): (item: Value) => boolean {
  if (isOperatorDoc(operand)) {
    const element = compileFilter(new Map([['', operand]]));
    return (item) => element.matches(new Map([['', item]]));
  }
  if (!isDoc(operand)) return comparison('$eq', operand);
  const filter = compileFilter(operand);
  return (item) => isDoc(item) && filter.matches(item);
}
