import { Int32 } from 'bson';
import { compare } from '../compare.ts';
import { DatabaseError } from '../errors.ts';
import { isTrue } from '../truth.ts';
import { type Doc, isDoc, type Value } from '../value.ts';
import {
  argumentsOf,
  type Cell,
  type Compiler,
  constantOf,
  type Expression,
  folded,
  isNullish,
  namedArguments,
  type Operator,
} from './operator.ts';

/** Comparison, boolean logic, choice and variables. */
export const LOGIC: Readonly<Record<string, Operator>> = {
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $cmp: comparison((order) => new Int32(Math.sign(order))),
  $and: (operand, compiler) => junction(operand, compiler, false),
  $or: (operand, compiler) => junction(operand, compiler, true),
  $not: (operand, compiler, name) => {
    const [arg] = argumentsOf(operand, 1, 1, name).map((item) => compiler.compile(item)) as [Expression];
    return folded([arg], (root) => !isTrue(arg.evaluate(root)));
  },
  $cond: condition,
  $ifNull: (operand, compiler, name) => {
    if (!Array.isArray(operand) || operand.length < 2) {
      throw new DatabaseError(
        1257300,
        `$ifNull needs at least two arguments, had: ${Array.isArray(operand) ? operand.length : 1}`,
      );
    }
    const args = argumentsOf(operand, 2, Number.POSITIVE_INFINITY, name).map((item) => compiler.compile(item));
    const last = args.at(-1) as Expression;
    return folded(args, (root) => {
      for (const arg of args) {
        const value = arg.evaluate(root);
        if (!isNullish(value)) return value;
      }
      return last.evaluate(root);
    });
  },
  $switch: choice,
  $let: letVariables,
  $literal: (operand) => constantOf(operand),
  $const: (operand) => constantOf(operand),
  $expr: (operand, compiler) => compiler.compile(operand),
};

function comparison(answer: (order: number) => Value): Operator {
  return (operand, compiler, name) => {
    const [a, b] = argumentsOf(operand, 2, 2, name).map((item) => compiler.compile(item)) as [Expression, Expression];
    const { texts } = compiler.context;
    return folded([a, b], (root) => answer(compare(a.evaluate(root), b.evaluate(root), texts)));
  };
}

function junction(operand: Value, compiler: Compiler, decisive: boolean): Expression {
  const args = (Array.isArray(operand) ? operand : [operand]).map((item) => compiler.compile(item));
  return folded(args, (root) => {
    for (const arg of args) if (isTrue(arg.evaluate(root)) === decisive) return decisive;
    return !decisive;
  });
}

/** Written as pairs, for an object with a field `then` could pass for a promise. */
const CONDITION_CODES = Object.fromEntries([
  ['if', 17080],
  ['then', 17081],
  ['else', 17082],
]);

function condition(operand: Value, compiler: Compiler, name: string): Expression {
  const codes = { notObject: 16020, unknown: 17083, absent: CONDITION_CODES };
  const [test, yes, no] = (
    isDoc(operand)
      ? ['if', 'then', 'else'].map((key, _i, keys) => namedArguments(operand, keys, [], codes, name).get(key) as Value)
      : argumentsOf(operand, 3, 3, name)
  ).map((item) => compiler.compile(item)) as [Expression, Expression, Expression];
  return folded([test, yes, no], (root) => (isTrue(test.evaluate(root)) ? yes : no).evaluate(root));
}

function choice(operand: Value, compiler: Compiler, name: string): Expression {
  const doc = namedArguments(operand, [], ['branches', 'default'], { notObject: 40060, unknown: 40067, absent: 40068 }, name);
  const list = doc.get('branches');
  if (list !== undefined && !Array.isArray(list)) throw new DatabaseError(40061, `$switch expected an array for 'branches'`);
  if (list === undefined || list.length === 0) throw new DatabaseError(40068, '$switch requires at least one branch.');
  const branches = list.map((branch) => {
    if (!isDoc(branch)) throw new DatabaseError(40062, '$switch expected each branch to be an object');
    for (const key of branch.keys())
      if (key !== 'case' && key !== 'then')
        throw new DatabaseError(40063, `$switch found an unknown argument to a branch: ${key}`);
    if (!branch.has('case')) throw new DatabaseError(40064, "$switch requires each branch have a 'case' expression");
    if (!branch.has('then')) throw new DatabaseError(40065, "$switch requires each branch have a 'then' expression.");
    return { test: compiler.compile(branch.get('case') as Value), result: compiler.compile(branch.get('then') as Value) };
  });
  const otherwise = doc.has('default') ? compiler.compile(doc.get('default') as Value) : undefined;
  return {
    constant: false,
    evaluate(root) {
      const taken = branches.find(({ test }) => isTrue(test.evaluate(root)))?.result ?? otherwise;
      if (taken === undefined)
        throw new DatabaseError(40066, '$switch could not find a matching branch for an input, and no default was specified.');
      return taken.evaluate(root);
    },
  };
}

function letVariables(operand: Value, compiler: Compiler, name: string): Expression {
  if (!isDoc(operand)) throw new DatabaseError(16874, '$let only supports an object as its argument');
  const doc = namedArguments(
    operand,
    ['vars', 'in'],
    [],
    { notObject: 16874, unknown: 16875, absent: { vars: 16876, in: 16877 } },
    name,
  );
  const vars = doc.get('vars') as Value;
  if (!isDoc(vars)) throw new DatabaseError(10065, `invalid parameter: expected an object (vars)`);
  const bindings = bindingsOf(vars, compiler);
  const body = compiler
    .withVariables(Object.fromEntries(bindings.map(({ variable, cell }) => [variable, cell])))
    .compile(doc.get('in') as Value);
  return {
    constant: false,
    evaluate(root) {
      // All values are found before the first is bound, for none may see its neighbours.
      const values = bindings.map(({ value }) => value.evaluate(root));
      bindings.forEach(({ cell }, i) => {
        cell.value = values[i];
      });
      return body.evaluate(root);
    },
  };
}

/** The variables that a document of expressions defines. */
export function bindingsOf(vars: Doc, compiler: Compiler): { variable: string; cell: Cell; value: Expression }[] {
  return [...vars].map(([variable, value]) => {
    checkVariableName(variable);
    return { variable, cell: { value: undefined }, value: compiler.compile(value) };
  });
}

/** Checks the name of a variable that a user defines: it starts with a small letter, or is `CURRENT`. */
export function checkVariableName(name: string): void {
  if (name === 'CURRENT') return;
  if (name === '') throw new DatabaseError(9, 'empty variable names are not allowed');
  if (!/^[a-z\u0080-\uffff]/.test(name))
    throw new DatabaseError(9, `'${name}' starts with an invalid character for a user variable name`);
  if (!/^[\w\u0080-\uffff]*$/.test(name))
    throw new DatabaseError(9, `'${name}' contains an invalid character for a variable name`);
}
