import { invalidNamespace } from '../storage/names.ts';
import { DatabaseError, typeMismatch } from '../values/errors.ts';
import { type Doc, isDoc, isNumber, typeName, type Value } from '../values/value.ts';
import type { Command } from './command.ts';

/**
 * Reads a string field of a command. Like all readers in this file, it rejects a wrong type with
 * MongoDB's error, and treats null as absent.
 */

export function stringArg(args: Doc, name: string): string | undefined {
  const value = present(args, name);
  if (value !== undefined && typeof value !== 'string') throw wrongType(name, value, 'string');
  return value;
}

/** Reads a document field. */
export function docArg(args: Doc, name: string): Doc | undefined {
  const value = present(args, name);
  if (value !== undefined && !isDoc(value)) throw wrongType(name, value, 'object');
  return value;
}

/** Reads an array field. */
export function arrayArg(args: Doc, name: string): Value[] | undefined {
  const value = present(args, name);
  if (value !== undefined && !Array.isArray(value)) throw wrongType(name, value, 'array');
  return value;
}

/** Reads a boolean field. Numbers are accepted: 0 is false. */
export function boolArg(args: Doc, name: string): boolean | undefined {
  const value = present(args, name);
  if (isNumber(value)) return Number(value.toString()) !== 0;
  if (value !== undefined && typeof value !== 'boolean') throw wrongType(name, value, 'bool');
  return value;
}

/** Reads a number field, truncated to an integer. */
export function integerArg(args: Doc, name: string): number | undefined {
  const value = present(args, name);
  if (value === undefined) return undefined;
  if (!isNumber(value)) throw wrongType(name, value, 'long');
  return Math.trunc(Number(value.toString()));
}

/** Reads an integer field that must not be negative. */
export function countArg(args: Doc, name: string): number | undefined {
  const value = integerArg(args, name);
  if (value !== undefined && value < 0)
    throw new DatabaseError(51024, `BSON field '${name}' value must be >= 0, actual value '${value}'`);
  return value;
}

/** The collection name, which is the value of the command's first field. */
export function collectionName({ args, name, db }: Pick<Command, 'args' | 'name' | 'db'>): string {
  const value = args.get(name);
  if (typeof value !== 'string') throw new DatabaseError(73, `collection name has invalid type ${typeName(value)}`);
  if (value === '' || value.includes('\0')) throw invalidNamespace(`Invalid namespace specified '${db}.${value}'`);
  return value;
}

/** Error 14: a field has the wrong type. */
export function wrongType(name: string, value: Value, expected: string): DatabaseError {
  return typeMismatch(`BSON field '${name}' is the wrong type '${typeName(value)}', expected type '${expected}'`);
}

/** Throws if a required field is absent. */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new DatabaseError(40414, `BSON field '${name}' is missing but a required field`);
  return value;
}

function present(args: Doc, name: string): Value | undefined {
  return args.get(name) ?? undefined;
}
