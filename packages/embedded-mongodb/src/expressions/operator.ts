import type { Context } from '../context.ts';
import { DatabaseError } from '../values/errors.ts';
import { type Doc, isDoc, type Maybe, type Value } from '../values/value.ts';

/** A compiled aggregation expression. */
export type Expression = {
  evaluate(root: Doc): Maybe;
  /** The value does not depend on the document, so it is evaluated only once. */
  readonly constant: boolean;
};

/** Compiles the operands of an operator. */
export type Compiler = {
  readonly context: Context;
  compile(value: Value): Expression;
  /**
   * A compiler with additional variables. Each variable has the value that its cell holds at
   * evaluation.
   */
  withVariables(cells: Readonly<Record<string, Cell>>): Compiler;
};

/** The storage of a variable. It is set before the expressions that use it are evaluated. */
export type Cell = {
  value: Maybe;
};

/** Compiles one operator of the expression language. */
export type Operator = (operand: Value, compiler: Compiler, name: string) => Expression;

/** An operator on `min` to `max` arguments. A single argument need not be in an array. */
export function listOperator(
  min: number,
  max: number,
  apply: (args: Maybe[], name: string, context: Context) => Maybe,
): Operator {
  return (operand, compiler, name) => {
    const args = argumentsOf(operand, min, max, name).map((arg) => compiler.compile(arg));
    return folded(args, (root) =>
      apply(
        args.map((arg) => arg.evaluate(root)),
        name,
        compiler.context,
      ),
    );
  };
}

export function unaryOperator(apply: (arg: Maybe) => Maybe): Operator {
  return listOperator(1, 1, ([arg]) => apply(arg));
}

export function binaryOperator(apply: (a: Maybe, b: Maybe) => Maybe): Operator {
  return listOperator(2, 2, ([a, b]) => apply(a, b));
}

/** The error codes for an operand that is not an object, or has unknown or missing arguments. */
export type ShapeCodes = {
  readonly notObject: number;
  readonly unknown: number;
  readonly absent: Readonly<Record<string, number>>;
};

/** Checks that the operand has all required arguments of an operator, and no unknown ones. */
export function namedArguments(operand: Value, optional: readonly string[], codes: ShapeCodes, name: string): Doc {
  if (!isDoc(operand)) throw new DatabaseError(codes.notObject, `${name} only supports an object as its argument`);
  for (const key of operand.keys()) {
    if (!Object.hasOwn(codes.absent, key) && !optional.includes(key))
      throw new DatabaseError(codes.unknown, `Unrecognized argument to ${name}: ${key}`);
  }
  for (const [key, code] of Object.entries(codes.absent))
    if (!operand.has(key)) throw new DatabaseError(code, `Missing '${key}' parameter to ${name}`);
  return operand;
}

/** The arguments of an operator that takes a list. Checks their number. */
export function argumentsOf(operand: Value, min: number, max: number, name: string): Value[] {
  const args = Array.isArray(operand) ? operand : [operand];
  if (args.length >= min && args.length <= max) return args;
  throw new DatabaseError(
    16020,
    `Expression ${name} takes ${min === max ? 'exactly' : 'at least'} ${min} arguments. ${args.length} were passed in.`,
  );
}

/** An expression that is evaluated once, when it is compiled, if all its parts are constant. */
export function folded(parts: readonly Expression[], evaluate: (root: Doc) => Maybe): Expression {
  return parts.every(({ constant }) => constant) ? constantOf(evaluate(noFields)) : { constant: false, evaluate };
}

export function constantOf(value: Maybe): Expression {
  return { constant: true, evaluate: () => value };
}

/**
 * Approximate memory of an array without its elements, or a document without its values, in bytes.
 */
export const arrayBytes = (length: number) => 40 + 8 * length;
export const documentBytes = (size: number) => 100 + 40 * size;

const noFields: Doc = new Map();
