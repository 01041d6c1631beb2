import { Double, Long, ObjectId } from 'bson';
import { compileExpression } from '../../src/expressions/expression.ts';
import type { Value } from '../../src/values/value.ts';
import { d } from './notation.ts';

/** The value of `$$NOW`. */
export const now = new Date('2024-05-01T12:00:00Z');
export const double = (value: number) => new Double(value);
export const long = (text: string) => Long.fromString(text);
export const id = new ObjectId('507f1f77bcf86cd799439011');

/** An object from pairs: a literal with a field `then` could be taken for a promise. */
export const named = (...pairs: [string, unknown][]) => Object.fromEntries(pairs);

/** Evaluates an expression in a driver's form. */
export function evaluate(expression: unknown, document: object = {}): Value | undefined {
  return compileExpression(d({ expression }).get('expression') as Value, { now })(d(document));
}

/**
 * A title, an expression, its value (`undefined` for missing), and the document to evaluate it on.
 */
export type Row = readonly [story: string, expression: unknown, result: unknown, document?: object];
