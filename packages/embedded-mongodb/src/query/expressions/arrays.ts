import { Int32 } from 'bson';
import { compare, equals, type TextOrder } from '../compare.ts';
import { DatabaseError } from '../errors.ts';
import { integerOf } from '../match-operators.ts';
import { intOrLong } from '../numbers.ts';
import { compileSort } from '../sort.ts';
import { type Doc, isDoc, isNumber, typeName, type Value } from '../value.ts';
import { ITERATORS } from './iterators.ts';
import {
  binaryOperator,
  isNullish,
  listOperator,
  type Maybe,
  namedOperator,
  type Operator,
  type ShapeCodes,
  unaryOperator,
} from './operator.ts';

const MANY = Number.POSITIVE_INFINITY;
const SORT_CODES = { notObject: 2942500, unknown: 2942501, absent: { input: 2942502, sortBy: 2942503 } };
/** `$firstN` and `$lastN` on the one hand, `$maxN` and `$minN` on the other, differ in one code. */
export const nCodes = (notObject: 5787801 | 5787900): ShapeCodes => ({
  notObject,
  unknown: 5787901,
  absent: { n: 5787906, input: 5787907 },
});

/** Operators on arrays. */
export const ARRAYS: Readonly<Record<string, Operator>> = {
  ...ITERATORS,
  $arrayElemAt: binaryOperator((items, index) => {
    if (isNullish(items) || isNullish(index)) return null;
    if (!Array.isArray(items))
      throw new DatabaseError(28689, `$arrayElemAt's first argument must be an array, but is ${typeName(items)}`);
    const at = isNumber(index) ? integerOf(index) : undefined;
    if (!isNumber(index))
      throw new DatabaseError(28690, `$arrayElemAt's second argument must be a numeric value, but is ${typeName(index)}`);
    if (at === undefined)
      throw new DatabaseError(28691, `$arrayElemAt's second argument must be representable as a 32-bit integer: ${index}`);
    return items.at(Number(at));
  }),
  $first: unaryOperator((items) => endOf(items, 0, '$first')),
  $last: unaryOperator((items) => endOf(items, -1, '$last')),
  $isArray: unaryOperator((value) => Array.isArray(value)),
  $size: unaryOperator((items) => {
    if (!Array.isArray(items))
      throw new DatabaseError(17124, `The argument to $size must be an array, but was of type: ${typeName(items)}`);
    return new Int32(items.length);
  }),
  $concatArrays: listOperator(0, MANY, (args) => {
    const result: Value[] = [];
    for (const arg of args) {
      if (isNullish(arg)) return null;
      if (!Array.isArray(arg)) throw new DatabaseError(28664, `$concatArrays only supports arrays, not ${typeName(arg)}`);
      for (const item of arg) result.push(item);
    }
    return result;
  }),
  $reverseArray: unaryOperator((items) => {
    if (isNullish(items)) return null;
    if (!Array.isArray(items))
      throw new DatabaseError(34435, `The argument to $reverseArray must be an array, but was of type: ${typeName(items)}`);
    return items.toReversed();
  }),
  $in: binaryOperator((value, items, _name, { texts }) => {
    if (!Array.isArray(items))
      throw new DatabaseError(40081, `$in requires an array as a second argument, found: ${typeName(items)}`);
    return items.some((item) => equals(item, value, texts));
  }),
  $indexOfArray: listOperator(2, 4, ([items, value, from, to], _name, { texts }) => {
    if (isNullish(items)) return null;
    if (!Array.isArray(items))
      throw new DatabaseError(40090, `$indexOfArray requires an array as a first argument, found: ${typeName(items)}`);
    const start = indexArgument(from, '$indexOfArray', 'starting', 0);
    const end = indexArgument(to, '$indexOfArray', 'ending', items.length);
    return new Int32(items.findIndex((item, i) => i >= start && i < end && equals(item, value, texts)));
  }),
  $slice: listOperator(2, 3, slice),
  $range: listOperator(2, 3, range),
  $arrayToObject: unaryOperator(arrayToObject),
  $objectToArray: unaryOperator((doc) => {
    if (isNullish(doc)) return null;
    if (!isDoc(doc)) throw new DatabaseError(40390, `$objectToArray requires a document input, found: ${typeName(doc)}`);
    return Array.from(
      doc,
      ([name, value]): Doc =>
        new Map<string, Value>([
          ['k', name],
          ['v', value],
        ]),
    );
  }),
  $zip: zip,
  $sortArray: (operand, compiler, name) => {
    const spec = isDoc(operand) ? operand.get('sortBy') : undefined;
    const order = spec === undefined ? undefined : sortOrder(spec, compiler.context);
    // The order is part of the text of the expression and not itself an expression.
    const rest = isDoc(operand) && spec !== undefined ? new Map(operand).set('sortBy', null) : operand;
    return namedOperator(['input', 'sortBy'], [], SORT_CODES, ({ input }) => {
      if (isNullish(input)) return null;
      if (!Array.isArray(input))
        throw new DatabaseError(
          2942504,
          `The input argument to $sortArray must be an array, but was of type: ${typeName(input)}`,
        );
      return (order as (items: Value[]) => Value[])(input);
    })(rest, compiler, name);
  },
  $firstN: nOf(5787801, (items, n) => items.slice(0, n)),
  $lastN: nOf(5787801, (items, n) => items.slice(Math.max(0, items.length - n))),
  $maxN: nOf(5787900, (items, n, texts) =>
    present(items)
      .sort((a, b) => compare(b, a, texts))
      .slice(0, n),
  ),
  $minN: nOf(5787900, (items, n, texts) =>
    present(items)
      .sort((a, b) => compare(a, b, texts))
      .slice(0, n),
  ),
};

/** Checks the `n` of `$firstN` and its like. */
export function countArgument(n: Maybe, name: string): number {
  const whole = isNumber(n) ? integerOf(n) : undefined;
  if (!isNumber(n)) throw new DatabaseError(5787902, `Value for 'n' must be of integral type, but found ${typeName(n)}`);
  if (whole === undefined) throw new DatabaseError(5787903, `Value for 'n' must be of integral type, but found ${n} for ${name}`);
  if (whole <= 0n) throw new DatabaseError(5787908, `'n' must be greater than 0, found ${whole}`);
  return Number(whole);
}

function nOf(notObject: 5787801 | 5787900, take: (items: Value[], n: number, texts?: TextOrder) => Value[]): Operator {
  return namedOperator(['n', 'input'], [], nCodes(notObject), ({ n, input }, name, { texts }) => {
    const count = countArgument(n, name);
    if (isNullish(input)) return null;
    if (!Array.isArray(input)) throw new DatabaseError(5788200, `Input must be an array, but is ${typeName(input)}`);
    return take(input, count, texts);
  });
}

function present(items: readonly Value[]): Value[] {
  return items.filter((item) => !isNullish(item));
}

function endOf(items: Maybe, index: number, name: string): Maybe {
  if (isNullish(items)) return null;
  if (!Array.isArray(items)) throw new DatabaseError(28689, `${name}'s argument must be an array, but is ${typeName(items)}`);
  return items.at(index);
}

/** Checks an optional index of the `$indexOf...` operators. */
export function indexArgument(value: Maybe, name: string, role: string, absent: number): number {
  if (value === undefined) return absent;
  const index = isNumber(value) ? integerOf(value) : undefined;
  if (index === undefined)
    throw new DatabaseError(40096, `${name} requires an integral ${role} index, found a value of type: ${typeName(value)}`);
  if (index < 0n) throw new DatabaseError(40097, `${name} requires a nonnegative ${role} index, found: ${index}`);
  return Number(index);
}

function slice([items, first, second]: Maybe[]): Maybe {
  if (isNullish(items) || isNullish(first) || (second === undefined ? false : isNullish(second))) return null;
  if (!Array.isArray(items))
    throw new DatabaseError(28724, `First argument to $slice must be an array, but is of type: ${typeName(items)}`);
  const a = isNumber(first) ? integerOf(first) : undefined;
  if (!isNumber(first))
    throw new DatabaseError(28725, `Second argument to $slice must be a numeric value, but is of type: ${typeName(first)}`);
  if (a === undefined)
    throw new DatabaseError(28726, `Second argument to $slice can't be represented as a 32-bit integer: ${first}`);
  if (second === undefined) return a >= 0n ? items.slice(0, Number(a)) : items.slice(Number(a));
  const b = isNumber(second) ? integerOf(second) : undefined;
  if (!isNumber(second))
    throw new DatabaseError(28727, `Third argument to $slice must be numeric, but is of type: ${typeName(second)}`);
  if (b === undefined)
    throw new DatabaseError(28728, `Third argument to $slice can't be represented as a 32-bit integer: ${second}`);
  if (b <= 0n) throw new DatabaseError(28729, `Third argument to $slice must be positive: ${second}`);
  const start = a < 0n ? Math.max(0, items.length + Number(a)) : Number(a);
  return items.slice(start, start + Number(b));
}

/** As many numbers as MongoDB fits into 100 MB. */
const MAX_RANGE = (100 * 1024 * 1024) / 16;

function range([from, to, by]: Maybe[]): Maybe {
  const [start, end, step] = [
    rangePart(from, 'starting', 34443),
    rangePart(to, 'ending', 34445),
    by === undefined ? 1 : rangePart(by, 'step', 34447),
  ];
  if (step === 0) throw new DatabaseError(34449, '$range requires a non-zero step value');
  if ((end - start) / step > MAX_RANGE)
    throw new DatabaseError(146, `$range would use too much memory (${(end - start) / step} numbers)`);
  const result: Value[] = [];
  for (let i = start; step > 0 ? i < end : i > end; i += step) result.push(intOrLong(i));
  return result;
}

function rangePart(value: Maybe, role: string, code: number): number {
  if (!isNumber(value))
    throw new DatabaseError(code, `$range requires a numeric ${role} value, found value of type: ${typeName(value)}`);
  const whole = integerOf(value);
  if (whole === undefined || BigInt.asIntN(32, whole) !== whole) {
    throw new DatabaseError(
      code + 1,
      `$range requires a ${role} value that can be represented as a 32-bit integer, found value: ${value}`,
    );
  }
  return Number(whole);
}

function arrayToObject(items: Maybe): Maybe {
  if (isNullish(items)) return null;
  if (!Array.isArray(items)) throw new DatabaseError(40386, `$arrayToObject requires an array input, found: ${typeName(items)}`);
  const result: Doc = new Map();
  const pairs = Array.isArray(items[0]);
  for (const item of items) {
    const [key, value] = pairs ? pairOf(item) : entryOf(item);
    if (typeof key !== 'string') {
      throw new DatabaseError(
        pairs ? 40395 : 40394,
        `$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: ${typeName(key)}`,
      );
    }
    if (key.includes('\0')) throw new DatabaseError(4940400, 'Key field cannot contain an embedded null byte');
    result.set(key, value as Value);
  }
  return result;
}

function pairOf(item: Value): [Maybe, Maybe] {
  if (!Array.isArray(item))
    throw new DatabaseError(
      40396,
      `$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Array was detected, now found: ${typeName(item)}`,
    );
  if (item.length !== 2)
    throw new DatabaseError(40397, `$arrayToObject requires an array of size 2 arrays,found array of size: ${item.length}`);
  return [item[0], item[1]];
}

function entryOf(item: Value): [Maybe, Maybe] {
  if (!isDoc(item)) {
    const code = Array.isArray(item) ? 40391 : 40398;
    throw new DatabaseError(
      code,
      `$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Object was detected, now found: ${typeName(item)}`,
    );
  }
  if (item.size !== 2)
    throw new DatabaseError(
      40392,
      `$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:${item.size}`,
    );
  if (!item.has('k') || !item.has('v'))
    throw new DatabaseError(40393, "$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys");
  return [item.get('k'), item.get('v')];
}

function zip(...[operand, compiler, name]: Parameters<Operator>): ReturnType<Operator> {
  const codes = { notObject: 34460, unknown: 34464, absent: 34465 };
  const doc = isDoc(operand) ? operand : undefined;
  const inputs = doc?.get('inputs');
  const defaults = doc?.get('defaults');
  if (inputs !== undefined && !Array.isArray(inputs)) throw new DatabaseError(34461, 'inputs must be an array of expressions');
  if (inputs?.length === 0) throw new DatabaseError(34465, '$zip requires at least one input array');
  if (defaults !== undefined && !Array.isArray(defaults))
    throw new DatabaseError(34462, 'defaults must be an array of expressions');
  const longest = doc?.get('useLongestLength') ?? false;
  if (typeof longest !== 'boolean') throw new DatabaseError(34463, 'useLongestLength must be a bool');
  if (defaults !== undefined && !longest)
    throw new DatabaseError(34466, 'cannot specify defaults unless useLongestLength is true');
  if (defaults !== undefined && defaults.length !== inputs?.length)
    throw new DatabaseError(34467, 'defaults and inputs must have the same length');
  return namedOperator(['inputs'], ['defaults', 'useLongestLength'], codes, (args) => {
    const lists = args.inputs as Maybe[];
    if (lists.some(isNullish)) return null;
    const arrays = lists.map((list) => {
      if (!Array.isArray(list)) throw new DatabaseError(34468, `$zip found a non-array expression in input: ${typeName(list)}`);
      return list;
    });
    const lengths = arrays.map((list) => list.length);
    const length = longest ? Math.max(...lengths) : Math.min(...lengths);
    const fill = (args.defaults ?? []) as Value[];
    return Array.from({ length }, (_, i) => arrays.map((list, at) => list[i] ?? fill[at] ?? null));
  })(operand, compiler, name);
}

function sortOrder(spec: Value, context: Parameters<Operator>[1]['context']): (items: Value[]) => Value[] {
  if (isDoc(spec)) {
    const sort = compileSort(spec, context);
    const asDoc = (item: Value): Doc => (isDoc(item) ? item : new Map());
    return (items) => items.toSorted((a, b) => sort.compare(asDoc(a), asDoc(b)));
  }
  const direction = isNumber(spec) ? integerOf(spec) : undefined;
  if (direction !== 1n && direction !== -1n) throw new DatabaseError(2942507, `The $sort element value must be either 1 or -1`);
  return (items) => items.toSorted((a, b) => Number(direction) * compare(a, b, context.texts));
}
