import { Double, Int32 } from 'bson';
import { compare, type TextOrder } from './compare.ts';
import { DatabaseError, invalidPipelineOperator, notSupported } from './errors.ts';
import { countArgument, nCodes } from './expressions/arrays.ts';
import { mergeInto } from './expressions/objects.ts';
import { type Compiler, isNullish, type Maybe, namedArguments } from './expressions/operator.ts';
import { Summation } from './expressions/summation.ts';
import { hasherFor } from './hash-key.ts';
import { toNumber } from './numbers.ts';
import { compileSort } from './sort.ts';
import { type Doc, isDoc, isNumber, type Value } from './value.ts';

/** An accumulator at work on one group. */
export interface Accumulation {
  add(value: Maybe): void;
  result(): Maybe;
}

/** An accumulator, compiled: what it takes from each document, and how a group begins. */
export interface Accumulator {
  readonly input: (doc: Doc) => Maybe;
  start(): Accumulation;
}

/** Compiles `{ $sum: '$amount' }` and its like. */
export function compileAccumulator(operator: string, operand: Value, compiler: Compiler): Accumulator {
  const ordered = ORDERED.get(operator);
  if (ordered !== undefined) return ordered(operand, compiler, operator);
  const start = startOf(operator, compiler.context.texts);
  if (start === undefined) throw unknown(operator);
  const argument = operator === '$count' ? countsNothing(operand) : operand;
  const { evaluate } = compiler.compile(argument);
  return { input: evaluate, start };
}

/** How an accumulator of one argument begins, `undefined` if there is none of that name. */
export function startOf(operator: string, texts?: TextOrder): (() => Accumulation) | undefined {
  const make = SIMPLE.get(operator);
  return make === undefined ? undefined : () => make(texts);
}

/** Accumulators that MongoDB has and this does not. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['$accumulator', '$median', '$percentile']);

/** Whether an accumulator of that name exists. */
export function isAccumulator(name: string): boolean {
  return SIMPLE.has(name) || ORDERED.has(name);
}

function unknown(operator: string): DatabaseError {
  if (UNSUPPORTED.has(operator)) return notSupported(`The accumulator ${operator} is not supported`);
  if (operator.startsWith('$')) return new DatabaseError(15952, `unknown group operator '${operator}'`);
  return invalidPipelineOperator(operator);
}

function countsNothing(operand: Value): Value {
  if (!isDoc(operand) || operand.size > 0) throw new DatabaseError(14, '$count takes no arguments, i.e. $count:{}');
  return new Int32(1);
}

const SIMPLE: ReadonlyMap<string, (texts?: TextOrder) => Accumulation> = new Map<string, (texts?: TextOrder) => Accumulation>([
  ['$sum', summing((sum) => sum.total)],
  ['$count', summing((sum) => sum.total)],
  ['$avg', summing((sum, count) => (count === 0 ? null : sum.mean(count)))],
  ['$min', (texts) => extreme(-1, texts)],
  ['$max', (texts) => extreme(1, texts)],
  ['$first', () => keeping((_old, _value, isFirst) => isFirst, null)],
  ['$last', () => keeping(() => true, null)],
  ['$push', pushing],
  ['$addToSet', uniting],
  ['$mergeObjects', merging],
  ['$stdDevPop', () => deviation((squares, count) => (count === 0 ? undefined : squares / count))],
  ['$stdDevSamp', () => deviation((squares, count) => (count < 2 ? undefined : squares / (count - 1)))],
]);

function summing(answer: (sum: Summation, count: number) => Value): () => Accumulation {
  return () => {
    const sum = new Summation();
    let count = 0;
    return {
      add(value) {
        if (!isNumber(value)) return;
        sum.add(value);
        count++;
      },
      result: () => answer(sum, count),
    };
  };
}

function extreme(direction: 1 | -1, texts?: TextOrder): Accumulation {
  return keeping((old, value) => !isNullish(value) && (isNullish(old) || compare(value, old, texts) * direction > 0), null);
}

function keeping(replaces: (old: Maybe, value: Maybe, isFirst: boolean) => boolean, initial: Maybe): Accumulation {
  let kept = initial;
  let isFirst = true;
  return {
    add(value) {
      if (replaces(kept, value, isFirst)) kept = value ?? null;
      isFirst = false;
    },
    result: () => kept,
  };
}

function pushing(): Accumulation {
  const items: Value[] = [];
  return {
    add(value) {
      if (value !== undefined) items.push(value);
    },
    // A window may go on adding after it has been asked.
    result: () => [...items],
  };
}

function uniting(texts?: TextOrder): Accumulation {
  const keyOf = hasherFor(texts);
  const items = new Map<string, Value>();
  return {
    add(value) {
      if (value === undefined) return;
      const key = keyOf(value);
      if (!items.has(key)) items.set(key, value);
    },
    result: () => [...items.values()],
  };
}

function merging(): Accumulation {
  const merged: Doc = new Map();
  return { add: (value) => mergeInto(merged, value), result: () => new Map(merged) };
}

/** Welford's method, as MongoDB computes it, in doubles. */
function deviation(variance: (squares: number, count: number) => number | undefined): Accumulation {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    add(value) {
      if (!isNumber(value)) return;
      const number = toNumber(value);
      count++;
      const delta = number - mean;
      mean += delta / count;
      squares += delta * (number - mean);
    },
    result() {
      const found = variance(squares, count);
      return found === undefined ? null : new Double(Math.sqrt(found));
    },
  };
}

type OrderedMaker = (operand: Value, compiler: Compiler, operator: string) => Accumulator;

const ORDERED: ReadonlyMap<string, OrderedMaker> = new Map<string, OrderedMaker>([
  ['$top', topmost(1, false)],
  ['$topN', topmost(1, true)],
  ['$bottom', topmost(-1, false)],
  ['$bottomN', topmost(-1, true)],
  ['$firstN', counted((items, n) => items.slice(0, n), false)],
  ['$lastN', counted((items, n) => items.slice(Math.max(0, items.length - n)), false)],
  ['$maxN', counted((items, n, texts) => items.toSorted((a, b) => compare(b, a, texts)).slice(0, n), true)],
  ['$minN', counted((items, n, texts) => items.toSorted((a, b) => compare(a, b, texts)).slice(0, n), true)],
]);

function counted(take: (items: Value[], n: number, texts?: TextOrder) => Value[], dropsNull: boolean): OrderedMaker {
  return (operand, compiler, operator) => {
    const doc = namedArguments(operand, ['n', 'input'], [], nCodes(dropsNull ? 5787900 : 5787801), operator);
    const n = countArgument(compiler.compile(doc.get('n') as Value).evaluate(new Map()), operator);
    const { evaluate } = compiler.compile(doc.get('input') as Value);
    return {
      input: evaluate,
      start() {
        const items: Value[] = [];
        return {
          add(value) {
            if (!dropsNull || !isNullish(value)) items.push(value ?? null);
          },
          result: () => take(items, n, compiler.context.texts),
        };
      },
    };
  };
}

function topmost(direction: 1 | -1, many: boolean): OrderedMaker {
  return (operand, compiler, operator) => {
    const names = many ? ['n', 'output', 'sortBy'] : ['output', 'sortBy'];
    const doc = namedArguments(
      operand,
      names,
      [],
      { notObject: 5788001, unknown: 5788002, absent: { n: 5788003, output: 5788004, sortBy: 5788005 } },
      operator,
    );
    const sortBy = doc.get('sortBy') as Value;
    if (!isDoc(sortBy))
      throw new DatabaseError(10065, `expected 'sortBy' to already be an object in the arguments to ${operator}`);
    const n = many ? countArgument(compiler.compile(doc.get('n') as Value).evaluate(new Map()), operator) : 1;
    const sort = compileSort(sortBy, compiler.context);
    const { evaluate } = compiler.compile(doc.get('output') as Value);
    return {
      // The key travels with the value, for only the accumulation knows the order.
      input: (root) => [sort.keyOf(root), evaluate(root) ?? null],
      start() {
        const entries: [Value[], Value][] = [];
        return {
          add: (entry) => void entries.push(entry as [Value[], Value]),
          result() {
            const sorted = entries.toSorted(([a], [b]) => sort.compareKeys(a, b));
            const taken = (direction === 1 ? sorted.slice(0, n) : sorted.slice(-n)).map(([, value]) => value);
            return many ? taken : (taken[0] ?? null);
          },
        };
      },
    };
  };
}
