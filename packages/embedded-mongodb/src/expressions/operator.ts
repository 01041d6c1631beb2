import type { Context } from '../context.ts';
import { DatabaseError } from '../values/errors.ts';
import { type Doc, isDoc, type Maybe, type Value } from '../values/value.ts';

/** An aggregation expression, compiled. */
export type Expression = {
  evaluate(root: Doc): Maybe;
  /** Depends on no document, so that it is evaluated but once. */
  readonly constant: boolean;
};

/** What an operator uses to compile what stands inside it. */
export type Compiler = {
  readonly context: Context;
  compile(value: Value): Expression;
  /** A compiler that knows further variables; each reads what its cell holds at the time. */
  withVariables(cells: Readonly<Record<string, Cell>>): Compiler;
};

/** The place of a variable: written before what uses it is evaluated. */
export type Cell = {
  value: Maybe;
};

/** Compiles one operator of the expression language from its operand. */
export type Operator = (operand: Value, compiler: Compiler, name: string) => Expression;

/** An operator over a list of arguments, between `min` and `max` of them; a single one may stand without the list. */
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

/** An operator over one argument. */
export function unaryOperator(apply: (arg: Maybe) => Maybe): Operator {
  return listOperator(1, 1, ([arg]) => apply(arg));
}

/** An operator over two arguments. */
export function binaryOperator(apply: (a: Maybe, b: Maybe) => Maybe): Operator {
  return listOperator(2, 2, ([a, b]) => apply(a, b));
}

/** The codes with which an operator refuses a wrong shape of its operand. */
export type ShapeCodes = {
  readonly notObject: number;
  readonly unknown: number;
  readonly absent: Readonly<Record<string, number>>;
};

/** Checks the names of the arguments of an operator. */
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

/** The arguments of an operator that takes a list, checked for their number. */
export function argumentsOf(operand: Value, min: number, max: number, name: string): Value[] {
  const args = Array.isArray(operand) ? operand : [operand];
  if (args.length >= min && args.length <= max) return args;
  throw new DatabaseError(
    16020,
    `Expression ${name} takes ${min === max ? 'exactly' : 'at least'} ${min} arguments. ${args.length} were passed in.`,
  );
}

/** An expression that becomes a constant where all it depends on is constant. */
export function folded(parts: readonly Expression[], evaluate: (root: Doc) => Maybe): Expression {
  return parts.every(({ constant }) => constant) ? constantOf(evaluate(noFields)) : { constant: false, evaluate };
}

/** An expression that is always the same value. */
export function constantOf(value: Maybe): Expression {
  return { constant: true, evaluate: () => value };
}

/** About how many bytes an array takes beside its elements, or a document beside its values. */
export const arrayBytes = (length: number) => 40 + 8 * length;
export const documentBytes = (size: number) => 100 + 40 * size;

const noFields: Doc = new Map();
