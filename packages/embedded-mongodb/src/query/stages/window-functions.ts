import { Decimal128, Double, Int32 } from 'bson';
import { compare } from '../compare.ts';
import { DatabaseError, failedToParse, notSupported } from '../errors.ts';
import { isNullish, type Maybe } from '../expressions/operator.ts';
import { integerOf } from '../match-operators.ts';
import { toNumber } from '../numbers.ts';
import { type Doc, isDoc, isNumber, type Value } from '../value.ts';
import type { Partition, WindowContext, WindowFunction } from './windows.ts';

type FunctionCompiler = (operand: Value, context: WindowContext, window: Value | undefined, name: string) => WindowFunction;

/** The window functions that are no accumulators. */
export const WINDOW_FUNCTIONS: Readonly<Record<string, FunctionCompiler>> = {
  $documentNumber: ranked((_isNew, _rank, index) => index + 1),
  $rank: ranked((isNew, rank, index) => (isNew ? index + 1 : rank)),
  $denseRank: ranked((isNew, rank) => (isNew ? rank + 1 : rank)),
  $shift: shift,
  $locf: (operand, { compiler, sortBy }, window, name) => {
    const { evaluate } = compiler.compile(operand);
    requireOrder(sortBy, window, name);
    return ({ docs }) => {
      let last: Maybe = null;
      return docs.map((doc) => {
        const value = evaluate(doc);
        if (!isNullish(value)) last = value;
        return last;
      });
    };
  },
  $linearFill: (operand, { compiler, sortBy }, window, name) => {
    const { evaluate } = compiler.compile(operand);
    requireOrder(sortBy, window, name);
    if (sortBy?.size !== 1)
      throw new DatabaseError(
        605001,
        '$linearFill must be specified with a top level sortBy expression with exactly one element',
      );
    return (partition) => filled(partition, partition.docs.map(evaluate));
  },
  $expMovingAvg: movingAverage,
};

function requireOrder(sortBy: Doc | undefined, window: Value | undefined, name: string): void {
  if (window !== undefined) throw failedToParse(`'window' field is not allowed in ${name}`);
  if (sortBy === undefined) throw failedToParse(`'${name}' requires a sortBy`);
}

function ranked(next: (isNew: boolean, rank: number, index: number) => number): FunctionCompiler {
  return (operand, { sortBy }, window, name) => {
    if (!isDoc(operand) || operand.size > 0) throw new DatabaseError(5371603, `${name} must be specified with '{}' as the value`);
    if (window !== undefined) throw new DatabaseError(5371601, 'Rank style window functions take no other arguments');
    if (sortBy === undefined || (sortBy.size !== 1 && name !== '$documentNumber')) {
      throw new DatabaseError(5371602, `${name} must be specified with a top level sortBy expression with exactly one element`);
    }
    return ({ keys }) => {
      let rank = 0;
      return keys.map((key, index) => {
        const isNew = index === 0 || key.some((part, i) => compare(part, keys[index - 1]?.[i]) !== 0);
        rank = next(isNew, rank, index);
        return new Int32(rank);
      });
    };
  };
}

function shift(operand: Value, { compiler, sortBy }: WindowContext, window: Value | undefined): WindowFunction {
  if (!isDoc(operand)) throw failedToParse('Argument to $shift must be an object');
  for (const key of operand.keys())
    if (!['output', 'by', 'default'].includes(key)) throw failedToParse(`Unknown argument in $shift: ${key}`);
  const output = operand.get('output');
  const by = operand.get('by');
  if (output === undefined) throw failedToParse("$shift requires an 'output' expression.");
  const distance = isNumber(by) ? integerOf(by) : undefined;
  if (distance === undefined) throw failedToParse("$shift requires 'by' as an integer value.");
  requireOrder(sortBy, window, '$shift');
  const { evaluate } = compiler.compile(output);
  const otherwise = compiler.compile(operand.get('default') ?? null);
  if (!otherwise.constant) throw failedToParse("'$shift:default' expression must yield a constant value.");
  return ({ docs }) =>
    docs.map((_doc, i) => {
      const neighbour = docs[i + Number(distance)];
      return neighbour === undefined ? otherwise.evaluate(new Map()) : evaluate(neighbour);
    });
}

/** Draws straight lines between the values that are there. */
function filled({ keys }: Partition, values: readonly Maybe[]): Maybe[] {
  const places = keys.map(([key]) => placeOf(key as Value));
  places.forEach((place, i) => {
    if (i > 0 && place === places[i - 1]) throw new DatabaseError(6050106, 'There can be no repeated values in the sort field');
  });
  const known = values.flatMap((value, i) => (isNullish(value) ? [] : [{ i, y: heightOf(value) }]));
  return values.map((value, i) => {
    if (!isNullish(value)) return value;
    const before = known.findLast((point) => point.i < i);
    const after = known.find((point) => point.i > i);
    if (before === undefined || after === undefined) return null;
    const [x, x0, x1] = [i, before.i, after.i].map((at) => places[at] as number) as [number, number, number];
    return new Double(before.y + ((x - x0) * (after.y - before.y)) / (x1 - x0));
  });
}

function placeOf(key: Value): number {
  if (key instanceof Date) return key.getTime();
  if (isNumber(key)) return toNumber(key);
  throw new DatabaseError(605001, 'The sort field of $linearFill must be a number or a date');
}

function heightOf(value: Value): number {
  if (!isNumber(value)) throw new DatabaseError(605001, '$linearFill fills in numbers only');
  if (value instanceof Decimal128) throw notSupported('$linearFill of decimals is not supported');
  return toNumber(value);
}

function movingAverage(operand: Value, { compiler, sortBy }: WindowContext, window: Value | undefined): WindowFunction {
  const names = isDoc(operand) ? [...operand.keys()] : [];
  if (!isDoc(operand) || names.length !== 2 || !operand.has('input') || (!operand.has('N') && !operand.has('alpha'))) {
    throw failedToParse(
      "$expMovingAvg sub object must have exactly two fields: An 'input' field, and either an 'N' field or an 'alpha' field",
    );
  }
  requireOrder(sortBy, window, '$expMovingAvg');
  const weight = weightOf(operand);
  const { evaluate } = compiler.compile(operand.get('input') as Value);
  return ({ docs }) => {
    let average: Value | undefined;
    return docs.map((doc) => {
      const value = evaluate(doc);
      if (!isNumber(value)) return null;
      if (value instanceof Decimal128) throw notSupported('$expMovingAvg of decimals is not supported');
      average = isNumber(average) ? new Double(toNumber(value) * weight + toNumber(average) * (1 - weight)) : value;
      return average;
    });
  };
}

function weightOf(operand: Doc): number {
  const [n, alpha] = [operand.get('N'), operand.get('alpha')];
  if (n !== undefined) {
    const count = isNumber(n) ? integerOf(n) : undefined;
    if (count === undefined || count <= 0n) throw failedToParse(`'N' must be a positive integer`);
    return 2 / (Number(count) + 1);
  }
  const given = isNumber(alpha) ? toNumber(alpha) : Number.NaN;
  if (!(given > 0 && given < 1)) throw failedToParse("'alpha' must be between 0 and 1 (exclusive)");
  return given;
}
