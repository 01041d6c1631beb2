import type { Context } from '../context.ts';
import { DatabaseError } from '../errors.ts';
import { type Doc, isDoc, UNDEFINED, type Value } from '../value.ts';

/** A value, or `undefined` for a missing one. */
export type Maybe = Value | undefined;

/** An aggregation expression, compiled. */
export interface Expression {
  evaluate(root: Doc): Maybe;
  /** Depends on no document, so that it is evaluated but once. */
  readonly constant: boolean;
}

/** What an operator uses to compile what stands inside it. */
export interface Compiler {
  readonly context: Context;
  compile(value: Value): Expression;
  /** A compiler that knows further variables; each reads what its cell holds at the time. */
  withVariables(cells: Readonly<Record<string, Cell>>): Compiler;
}

/** The place of a variable: written before what uses it is evaluated. */
export interface Cell {
  value: Maybe;
}

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
export function unaryOperator(apply: (arg: Maybe, name: string, context: Context) => Maybe): Operator {
  return listOperator(1, 1, ([arg], name, context) => apply(arg, name, context));
}

/** An operator over two arguments. */
export function binaryOperator(apply: (a: Maybe, b: Maybe, name: string, context: Context) => Maybe): Operator {
  return listOperator(2, 2, ([a, b], name, context) => apply(a, b, name, context));
}

/** Arguments by name; those that were not given are not there, unlike those that are missing in the document. */
export type NamedArguments = Readonly<Record<string, Maybe>>;

/** The codes with which an operator refuses a wrong shape of its operand. */
export interface ShapeCodes {
  readonly notObject: number;
  readonly unknown: number;
  /** For any argument that is not there, or by its name. */
  readonly absent: number | Readonly<Record<string, number>>;
}

/** An operator over arguments by name. */
export function namedOperator(
  required: readonly string[],
  optional: readonly string[],
  codes: ShapeCodes,
  apply: (args: NamedArguments, name: string, context: Context) => Maybe,
): Operator {
  return (operand, compiler, name) => {
    const doc = namedArguments(operand, required, optional, codes, name);
    const entries = [...doc].map(([key, value]) => [key, compiler.compile(value)] as const);
    return folded(
      entries.map(([, arg]) => arg),
      (root) => apply(Object.fromEntries(entries.map(([key, arg]) => [key, arg.evaluate(root)])), name, compiler.context),
    );
  };
}

/** Checks the names of the arguments of an operator. */
export function namedArguments(
  operand: Value,
  required: readonly string[],
  optional: readonly string[],
  codes: ShapeCodes,
  name: string,
): Doc {
  if (!isDoc(operand)) throw new DatabaseError(codes.notObject, `${name} only supports an object as its argument`);
  for (const key of operand.keys()) {
    if (!required.includes(key) && !optional.includes(key))
      throw new DatabaseError(codes.unknown, `Unrecognized argument to ${name}: ${key}`);
  }
  for (const key of required) {
    if (!operand.has(key))
      throw new DatabaseError(
        typeof codes.absent === 'number' ? codes.absent : (codes.absent[key] ?? 9),
        `Missing '${key}' parameter to ${name}`,
      );
  }
  return operand;
}

/** The arguments of an operator that takes a list, checked for their number. */
export function argumentsOf(operand: Value, min: number, max: number, name: string): Value[] {
  const args = Array.isArray(operand) ? operand : [operand];
  if (args.length >= min && args.length <= max) return args;
  if (min === max) {
    throw new DatabaseError(16020, `Expression ${name} takes exactly ${min} arguments. ${args.length} were passed in.`);
  }
  throw new DatabaseError(
    28667,
    `Expression ${name} takes at least ${min} arguments, and at most ${max}, but ${args.length} were passed in.`,
  );
}

/** An expression that becomes a constant where all it depends on is constant. */
export function folded(parts: readonly Expression[], evaluate: (root: Doc) => Maybe): Expression {
  return parts.every(({ constant }) => constant) ? constantOf(evaluate(NO_FIELDS)) : { constant: false, evaluate };
}

/** An expression that is always the same value. */
export function constantOf(value: Maybe): Expression {
  return { constant: true, evaluate: () => value };
}

/** Whether a value is null, undefined or missing: most operators answer null to it. */
export function isNullish(value: Maybe): value is undefined | null {
  return value === undefined || value === null || value === UNDEFINED;
}

const NO_FIELDS: Doc = new Map();
