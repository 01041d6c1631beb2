import { BSONRegExp } from 'bson';
import { compare, equals, type TextOrder } from './compare.ts';
import { badValue, failedToParse, typeMismatch } from './errors.ts';
import { compileFilter } from './match.ts';
import { isOperatorDoc } from './match-fields.ts';
import { integerOf } from './match-operators.ts';
import { isIndex } from './path.ts';
import type { ModifierMaker } from './update-operators.ts';
import type { Modifier, Run } from './update-tree.ts';
import { type Doc, isDoc, isNumber, type NumberValue, typeName, type Value } from './value.ts';

/** The update operators on arrays. */
export const ARRAY_OPERATORS: Readonly<Record<string, ModifierMaker>> = {
  $push: push,
  $addToSet: addToSet,
  $pop: pop,
  $pull: (operand, _path, texts) => pull('$pull', pullCondition(operand, texts)),
  $pullAll: (operand, _path, texts) => {
    if (!Array.isArray(operand)) throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand)}`);
    return pull('$pullAll', (item) => operand.some((other) => equals(item, other, texts)));
  },
};

const PUSH_CLAUSES: ReadonlySet<string> = new Set(['$each', '$slice', '$sort', '$position']);

function push(operand: Value, _path: string, texts?: TextOrder): Modifier {
  const clauses = isDoc(operand) && operand.has('$each') ? operand : new Map([['$each', [operand]]]);
  for (const name of clauses.keys()) if (!PUSH_CLAUSES.has(name)) throw badValue(`Unrecognized clause in $push: ${name}`);
  const items = eachOf(clauses.get('$each') as Value, '$push');
  const position = wholeClause(clauses, '$position');
  const slice = wholeClause(clauses, '$slice');
  const sort = pushSort(clauses.get('$sort'), texts);
  const applied = (old: readonly Value[]) => sliced(sort(inserted(old, items, position)), slice);
  return {
    name: '$push',
    update(old, run, where) {
      if (!Array.isArray(old)) {
        throw badValue(`The field '${where}' must be an array but is of type ${typeName(old)} in document {_id: ${idOf(run)}}`);
      }
      const result = applied(old);
      return result.length === old.length && result.every((item, i) => item === old[i]) ? old : result;
    },
    create: () => applied([]),
  };
}

function eachOf(value: Value, operator: string): Value[] {
  if (!Array.isArray(value)) {
    throw (operator === '$push' ? badValue : typeMismatch)(
      `The argument to $each in ${operator} must be an array but it was of type: ${typeName(value)}`,
    );
  }
  return value;
}

function wholeClause(clauses: Doc, name: string): number | undefined {
  const value = clauses.get(name);
  if (value === undefined) return undefined;
  const whole = isNumber(value) ? integerOf(value) : undefined;
  if (whole === undefined)
    throw badValue(`The value for ${name} must be an integer value but was given type: ${typeName(value)}`);
  return Number(whole);
}

function pushSort(sort: Value | undefined, texts?: TextOrder): (items: Value[]) => Value[] {
  if (sort === undefined) return (items) => items;
  if (isNumber(sort)) {
    const direction = Number(integerOf(sort));
    if (direction !== 1 && direction !== -1) throw badValue('The $sort element value must be either 1 or -1');
    return (items) => items.toSorted((a, b) => direction * compare(a, b, texts));
  }
  if (!isDoc(sort))
    throw badValue('The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields');
  if (sort.size === 0) throw badValue('The $sort pattern is empty when it should be a set of fields.');
  for (const [name, value] of sort) {
    if (name === '' || name.split('.').includes(''))
      throw badValue(`The $sort field is a dotted field but has an empty part: ${name}`);
    const direction = isNumber(value) ? integerOf(value) : undefined;
    if (direction !== 1n && direction !== -1n) throw badValue('The $sort element value must be either 1 or -1');
  }
  const keys = [...sort].map(([path, value]) => ({ parts: path.split('.'), direction: Number(integerOf(value as NumberValue)) }));
  const order = (a: Value, b: Value) => {
    for (const { parts, direction } of keys) {
      const difference = direction * compare(plainField(a, parts), plainField(b, parts), texts);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  return (items) => items.toSorted(order);
}

/** The value of a dotted path, null if there is none; unlike in a query's sort, arrays stay whole. */
function plainField(value: Value, parts: readonly string[]): Value {
  let found: Value | undefined = value;
  for (const part of parts) {
    if (isDoc(found)) found = found.get(part);
    else if (Array.isArray(found) && isIndex(part)) found = found[Number(part)];
    else return null;
  }
  return found ?? null;
}

function inserted(old: readonly Value[], items: readonly Value[], position: number | undefined): Value[] {
  if (position === undefined || position >= old.length) return [...old, ...items];
  const at = position < 0 ? Math.max(0, old.length + position) : position;
  return [...old.slice(0, at), ...items, ...old.slice(at)];
}

function sliced(items: Value[], slice: number | undefined): Value[] {
  if (slice === undefined) return items;
  if (slice === 0) return [];
  return slice > 0 ? items.slice(0, slice) : items.slice(slice);
}

function addToSet(operand: Value, path: string, texts?: TextOrder): Modifier {
  const each = isDoc(operand) && operand.keys().next().value === '$each';
  if (each && operand.size > 1)
    throw badValue(`Found unexpected fields after $each in $addToSet: ${[...operand.keys()].join(', ')}`);
  const wanted = each ? eachOf(operand.get('$each') as Value, '$addToSet') : [operand];
  const missing = (old: readonly Value[]) => {
    const added: Value[] = [];
    for (const item of wanted) {
      if (![...old, ...added].some((other) => equals(other, item, texts))) added.push(item);
    }
    return added;
  };
  return {
    name: '$addToSet',
    update(old) {
      if (!Array.isArray(old)) {
        throw badValue(`Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(old)}`);
      }
      const added = missing(old);
      return added.length === 0 ? old : [...old, ...added];
    },
    create: () => missing([]),
  };
}

function pop(operand: Value): Modifier {
  const end = isNumber(operand) ? integerOf(operand) : undefined;
  if (!isNumber(operand)) throw failedToParse(`Expected a number in: $pop: ${typeName(operand)}`);
  if (end !== 1n && end !== -1n) throw failedToParse(`$pop expects 1 or -1, found: ${operand}`);
  return {
    name: '$pop',
    update(old, _run, where) {
      if (!Array.isArray(old)) throw typeMismatch(`Path '${where}' contains an element of non-array type '${typeName(old)}'`);
      if (old.length === 0) return old;
      return end === 1n ? old.slice(0, -1) : old.slice(1);
    },
  };
}

function pull(name: string, goes: (item: Value) => boolean): Modifier {
  return {
    name,
    update(old) {
      if (!Array.isArray(old)) throw badValue(`Cannot apply ${name} to a non-array value`);
      const kept = old.filter((item) => !goes(item));
      return kept.length === old.length ? old : kept;
    },
  };
}

/** Documents of fields match documents, operators and patterns match elements as if each were a field, all else is equality. */
function pullCondition(operand: Value, texts?: TextOrder): (item: Value) => boolean {
  if (isOperatorDoc(operand) || operand instanceof BSONRegExp) {
    const element = compileFilter(new Map([['', operand]]), { texts });
    return (item) => element.matches(new Map([['', item]]));
  }
  if (!isDoc(operand)) return (item) => equals(item, operand, texts);
  const filter = compileFilter(operand, { texts });
  return (item) => isDoc(item) && filter.matches(item);
}

function idOf(run: Run): string {
  return String(run.original.get('_id'));
}
