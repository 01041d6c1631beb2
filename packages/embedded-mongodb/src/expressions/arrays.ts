import { Int32 } from 'bson';
import type { Context } from '../context.ts';
import { compare, equals } from '../values/compare.ts';
import { DatabaseError } from '../values/errors.ts';
import { integerOf } from '../values/numbers.ts';
import { isTrue } from '../values/truth.ts';
import { type Doc, isNullish, isNumber, type Maybe, typeName, type Value } from '../values/value.ts';
import { checkVariableName } from './logic.ts';
import {
  arrayBytes,
  binaryOperator,
  type Cell,
  type Compiler,
  type Expression,
  listOperator,
  namedArguments,
  type Operator,
  type ShapeCodes,
  unaryOperator,
} from './operator.ts';

const many = Number.POSITIVE_INFINITY;

/** Operators on arrays. */
export const arrays: Readonly<Record<string, Operator>> = {
  $arrayElemAt: binaryOperator((items, index) => {
    if (isNullish(items) || isNullish(index)) return null;
    if (!Array.isArray(items))
      throw new DatabaseError(28689, `$arrayElemAt's first argument must be an array, but is ${typeName(items)}`);
    if (!isNumber(index))
      throw new DatabaseError(28690, `$arrayElemAt's second argument must be a numeric value, but is ${typeName(index)}`);
    const at = integerOf(index);
    if (at === undefined)
      throw new DatabaseError(28691, `$arrayElemAt's second argument must be representable as a 32-bit integer: ${index}`);
    return items.at(at);
  }),
  $size: unaryOperator((items) => {
    if (Array.isArray(items)) return new Int32(items.length);
    throw new DatabaseError(17124, `The argument to $size must be an array, but was of type: ${typeName(items)}`);
  }),
  $in: binaryOperator((value, items) => {
    if (Array.isArray(items)) return items.some((item) => equals(item, value));
    throw new DatabaseError(40081, `$in requires an array as a second argument, found: ${typeName(items)}`);
  }),
  $concatArrays: listOperator(0, many, (...asked) => arraysUntilNull(asked, 28664)?.flat() ?? null),
  // MongoDB does not specify the order of the elements.
  $setUnion: listOperator(0, many, (...asked) => {
    const sorted = arraysUntilNull(asked, 17043)?.flat().sort(compare);
    return sorted?.filter((item, i) => i === 0 || compare(sorted[i - 1], item) !== 0) ?? null;
  }),
  $map: (operand, compiler, name) => {
    const codes = { notObject: 16878, unknown: 16879, absent: { input: 16880, in: 16882 } };
    return eachElement(operand, compiler, name, codes, 'in', 16883, (items, evaluate) =>
      items.map((item) => evaluate(item) ?? null),
    );
  },
  $filter: (operand, compiler, name) => {
    const codes = { notObject: 28646, unknown: 28647, absent: { input: 28648, cond: 28650 } };
    return eachElement(operand, compiler, name, codes, 'cond', 28651, (items, evaluate) =>
      items.filter((item) => isTrue(evaluate(item))),
    );
  },
};

/** The array arguments; `undefined` if one is null, because the whole result is then null. */
function arraysUntilNull([args, name, { operation }]: [Maybe[], string, Context], code: number): Value[][] | undefined {
  const found: Value[][] = [];
  for (const arg of args) {
    if (isNullish(arg)) return undefined;
    if (!Array.isArray(arg)) throw new DatabaseError(code, `${name} only supports arrays, not ${typeName(arg)}`);
    operation?.make(arrayBytes(arg.length));
    found.push(arg);
  }
  return found;
}

type Apply = (items: Value[], evaluate: (item: Value) => Maybe) => Value[];

/** An operator that evaluates an expression for each element of an array. */
function eachElement(
  operand: Value,
  compiler: Compiler,
  name: string,
  codes: ShapeCodes,
  part: 'in' | 'cond',
  notArray: number,
  apply: Apply,
): Expression {
  const doc = namedArguments(operand, ['as'], codes, name);
  const variable = doc.get('as') ?? 'this';
  if (typeof variable !== 'string') throw new DatabaseError(9, `${name} 'as' must be a string`);
  checkVariableName(variable);
  const cell: Cell = { value: undefined };
  const input = compiler.compile(doc.get('input') as Value);
  const body = compiler.withVariables({ [variable]: cell }).compile(doc.get(part) as Value);
  const { operation } = compiler.context;
  return {
    constant: false,
    evaluate(root: Doc) {
      const items = input.evaluate(root);
      if (isNullish(items)) return null;
      if (!Array.isArray(items)) throw new DatabaseError(notArray, `input to ${name} must be an array not ${typeName(items)}`);
      operation?.make(arrayBytes(items.length));
      return apply(items, (item) => {
        operation?.check();
        cell.value = item;
        return body.evaluate(root);
      });
    },
  };
}
