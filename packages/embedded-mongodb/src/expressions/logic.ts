import { compare } from '../values/compare.ts';
import { DatabaseError } from '../values/errors.ts';
import { isTrue } from '../values/truth.ts';
import { isDoc, isNullish, type Value } from '../values/value.ts';
import {
  argumentsOf,
  type Cell,
  type Compiler,
  constantOf,
  type Expression,
  folded,
  namedArguments,
  type Operator,
  unaryOperator,
} from './operator.ts';

/** Comparison, boolean logic, conditions and variables. */
export const logic: Readonly<Record<string, Operator>> = {
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $and: (operand, compiler) => junction(operand, compiler, false),
  $or: (operand, compiler) => junction(operand, compiler, true),
  $not: unaryOperator((arg) => !isTrue(arg)),
  $cond: condition,
  $ifNull: (operand, compiler, name) => {
    if (!Array.isArray(operand) || operand.length < 2) throw new DatabaseError(1257300, `${name} needs at least two arguments`);
    const args = operand.map((item) => compiler.compile(item));
    const last = args.at(-1) as Expression;
    return folded(args, (root) => {
      for (const arg of args) {
        const value = arg.evaluate(root);
        if (!isNullish(value)) return value;
      }
      return last.evaluate(root);
    });
  },
  $let: letVariables,
  $literal: (operand) => constantOf(operand),
};

function comparison(answer: (order: number) => boolean): Operator {
  return (operand, compiler, name) => {
    const [a, b] = argumentsOf(operand, 2, 2, name).map((item) => compiler.compile(item)) as [Expression, Expression];
    return folded([a, b], (root) => answer(compare(a.evaluate(root), b.evaluate(root))));
  };
}

function junction(operand: Value, compiler: Compiler, decisive: boolean): Expression {
  const args = (Array.isArray(operand) ? operand : [operand]).map((item) => compiler.compile(item));
  return folded(args, (root) => {
    for (const arg of args) if (isTrue(arg.evaluate(root)) === decisive) return decisive;
    return !decisive;
  });
}

/** An array of pairs, because an object with a field `then` could be taken for a promise. */
const conditionCodes = Object.fromEntries([
  ['if', 17080],
  ['then', 17081],
  ['else', 17082],
]);

function condition(operand: Value, compiler: Compiler, name: string): Expression {
  const codes = { notObject: 16020, unknown: 17083, absent: conditionCodes };
  const parts = isDoc(operand)
    ? ['if', 'then', 'else'].map((key) => namedArguments(operand, [], codes, name).get(key) as Value)
    : argumentsOf(operand, 3, 3, name);
  const [test, yes, no] = parts.map((item) => compiler.compile(item)) as [Expression, Expression, Expression];
  return folded([test, yes, no], (root) => (isTrue(test.evaluate(root)) ? yes : no).evaluate(root));
}

function letVariables(operand: Value, compiler: Compiler, name: string): Expression {
  const doc = namedArguments(operand, [], { notObject: 16874, unknown: 16875, absent: { vars: 16876, in: 16877 } }, name);
  const vars = doc.get('vars') as Value;
  if (!isDoc(vars)) throw new DatabaseError(10065, `invalid parameter: expected an object (vars)`);
  const bindings = [...vars].map(([variable, value]) => {
    checkVariableName(variable);
    const cell: Cell = { value: undefined };
    return { variable, cell, value: compiler.compile(value) };
  });
  const body = compiler
    .withVariables(Object.fromEntries(bindings.map(({ variable, cell }) => [variable, cell])))
    .compile(doc.get('in') as Value);
  return {
    constant: false,
    evaluate(root) {
      // Evaluates all values before it binds the first: a value cannot refer to the other
      // variables.
      const values = bindings.map(({ value }) => value.evaluate(root));
      bindings.forEach(({ cell }, i) => {
        cell.value = values[i];
      });
      return body.evaluate(root);
    },
  };
}

/** Checks the name of a user variable: it must start with a lower-case letter. */
export function checkVariableName(name: string): void {
  if (!/^[a-z][\w]*$/.test(name)) throw new DatabaseError(9, `'${name}' is not a valid name of a user variable`);
}
