import { DatabaseError } from '../errors.ts';
import { integerOf } from '../match-operators.ts';
import { isTrue } from '../truth.ts';
import { type Doc, isNumber, typeName, type Value } from '../value.ts';
import { checkVariableName } from './logic.ts';
import { type Cell, type Compiler, type Expression, isNullish, namedArguments, type Operator } from './operator.ts';

/** The operators that evaluate an expression for each element of an array. */
export const ITERATORS: Readonly<Record<string, Operator>> = {
  $map: (operand, compiler, name) => {
    const { doc, input, cell, inner } = iteration(operand, compiler, name, ['input', 'in'], ['as'], {
      notObject: 16878,
      unknown: 16879,
      absent: { input: 16880, in: 16882 },
    });
    const body = inner.compile(doc.get('in') as Value);
    return each(input, name, 16883, (items, root) =>
      items.map((item) => {
        cell.value = item;
        return body.evaluate(root) ?? null;
      }),
    );
  },
  $filter: (operand, compiler, name) => {
    const codes = { notObject: 28646, unknown: 28647, absent: { input: 28648, cond: 28650 } };
    const { doc, input, cell, inner } = iteration(operand, compiler, name, ['input', 'cond'], ['as', 'limit'], codes);
    const condition = inner.compile(doc.get('cond') as Value);
    const limit = doc.has('limit') ? compiler.compile(doc.get('limit') as Value) : undefined;
    return each(input, name, 28651, (items, root) => {
      const most = limitOf(limit, root);
      const result: Value[] = [];
      for (const item of items) {
        if (result.length >= most) break;
        cell.value = item;
        if (isTrue(condition.evaluate(root))) result.push(item);
      }
      return result;
    });
  },
  $reduce: (operand, compiler, name) => {
    const doc = namedArguments(
      operand,
      ['input', 'initialValue', 'in'],
      [],
      { notObject: 40075, unknown: 40076, absent: { input: 40077, initialValue: 40078, in: 40079 } },
      name,
    );
    const current: Cell = { value: undefined };
    const total: Cell = { value: undefined };
    const input = compiler.compile(doc.get('input') as Value);
    const initial = compiler.compile(doc.get('initialValue') as Value);
    const body = compiler.withVariables({ this: current, value: total }).compile(doc.get('in') as Value);
    return each(input, name, 40080, (items, root) => {
      let result = initial.evaluate(root);
      for (const item of items) {
        current.value = item;
        total.value = result;
        result = body.evaluate(root);
      }
      return result;
    });
  },
};

interface Iteration {
  readonly doc: Doc;
  readonly input: Expression;
  /** Holds the element at hand, under the name given by `as`. */
  readonly cell: Cell;
  readonly inner: Compiler;
}

function iteration(
  operand: Value,
  compiler: Compiler,
  name: string,
  required: readonly string[],
  optional: readonly string[],
  codes: Parameters<typeof namedArguments>[3],
): Iteration {
  const doc = namedArguments(operand, required, optional, codes, name);
  const variable = doc.get('as') ?? 'this';
  if (typeof variable !== 'string') throw new DatabaseError(9, `${name} 'as' must be a string`);
  checkVariableName(variable);
  const cell: Cell = { value: undefined };
  return { doc, cell, input: compiler.compile(doc.get('input') as Value), inner: compiler.withVariables({ [variable]: cell }) };
}

function each(
  input: Expression,
  name: string,
  code: number,
  apply: (items: Value[], root: Doc) => Value | undefined,
): Expression {
  return {
    constant: false,
    evaluate(root) {
      const items = input.evaluate(root);
      if (isNullish(items)) return null;
      if (!Array.isArray(items)) throw new DatabaseError(code, `input to ${name} must be an array not ${typeName(items)}`);
      return apply(items, root);
    },
  };
}

function limitOf(limit: Expression | undefined, root: Doc): number {
  const value = limit?.evaluate(root);
  if (isNullish(value)) return Number.POSITIVE_INFINITY;
  const whole = isNumber(value) ? integerOf(value) : undefined;
  if (whole === undefined)
    throw new DatabaseError(327391, `$filter: limit must be represented as a 32-bit integral value: ${typeName(value)}`);
  if (whole < 1n) throw new DatabaseError(327392, `$filter: limit must be greater than 0: ${whole}`);
  return Number(whole);
}
