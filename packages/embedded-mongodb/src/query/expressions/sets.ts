import { compare, type TextOrder } from '../compare.ts';
import { DatabaseError } from '../errors.ts';
import { isTrue } from '../truth.ts';
import { typeName, type Value } from '../value.ts';
import {
  argumentsOf,
  binaryOperator,
  type Expression,
  folded,
  isNullish,
  listOperator,
  type Maybe,
  type Operator,
  unaryOperator,
} from './operator.ts';

const MANY = Number.POSITIVE_INFINITY;

/** Arrays taken as sets; the results come in MongoDB's order of values, which leaves their order open. */
export const SETS: Readonly<Record<string, Operator>> = {
  $setUnion: listOperator(0, MANY, (args, _name, { texts }) => {
    const sets = arraysUntilNull(args, '$setUnion', 17043);
    return sets === null ? null : distinct(sets.flat(), texts);
  }),
  $setIntersection: listOperator(0, MANY, (args, _name, { texts }) => {
    const sets = arraysUntilNull(args, '$setIntersection', 17047);
    if (sets === null) return null;
    const [first, ...others] = sets.map((set) => distinct(set, texts));
    return (first ?? []).filter((item) => others.every((set) => contains(set, item, texts)));
  }),
  $setDifference: binaryOperator((a, b, _name, { texts }) => {
    if (isNullish(a) || isNullish(b)) return null;
    const left = arrayArgument(a, '$setDifference', 17048);
    const right = distinct(arrayArgument(b, '$setDifference', 17049), texts);
    const seen: Value[] = [];
    return left.filter(
      (item) => !contains(right, item, texts) && !seen.some((other) => compare(other, item, texts) === 0) && seen.push(item) > 0,
    );
  }),
  $setEquals: listOperator(0, MANY, (args, _name, { texts }) => {
    if (args.length < 2) throw new DatabaseError(17045, `$setEquals needs at least two arguments had: ${args.length}`);
    const [first, ...others] = args.map((arg) => distinct(arrayArgument(arg, '$setEquals', 17044), texts)) as [
      Value[],
      ...Value[][],
    ];
    return others.every((set) => compare(set, first, texts) === 0);
  }),
  $setIsSubset: (operand, compiler, name) => {
    const [a, b] = argumentsOf(operand, 2, 2, name).map((arg) => compiler.compile(arg)) as [Expression, Expression];
    // MongoDB prepares a constant set, and that path has a code of its own.
    const { texts } = compiler.context;
    const code = b.constant ? 17310 : 17046;
    return folded([a, b], (root) => {
      const left = arrayArgument(a.evaluate(root), name, code);
      const right = distinct(arrayArgument(b.evaluate(root), name, 17042), texts);
      return left.every((item) => contains(right, item, texts));
    });
  },
  $anyElementTrue: unaryOperator((items) => arrayArgument(items, '$anyElementTrue', 17041).some(isTrue)),
  $allElementsTrue: unaryOperator((items) => arrayArgument(items, '$allElementsTrue', 17040).every(isTrue)),
};

/** The values without repetition, in order. */
function distinct(items: readonly Value[], texts?: TextOrder): Value[] {
  return items
    .toSorted((a, b) => compare(a, b, texts))
    .filter((item, i, sorted) => i === 0 || compare(sorted[i - 1], item, texts) !== 0);
}

function contains(sorted: readonly Value[], item: Value, texts?: TextOrder): boolean {
  return sorted.some((other) => compare(other, item, texts) === 0);
}

/** The arguments up to the first null, which makes the whole result null. */
function arraysUntilNull(args: readonly Maybe[], name: string, code: number): Value[][] | null {
  const arrays: Value[][] = [];
  for (const arg of args) {
    if (isNullish(arg)) return null;
    arrays.push(arrayArgument(arg, name, code));
  }
  return arrays;
}

function arrayArgument(value: Maybe, name: string, code: number): Value[] {
  if (!Array.isArray(value))
    throw new DatabaseError(code, `All operands of ${name} must be arrays. One argument is of type: ${typeName(value)}`);
  return value;
}
