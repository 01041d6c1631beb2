import { Int32 } from 'bson';
import { DetailedError } from '../storage/index/duplicate-key.ts';
import { DatabaseError } from '../values/errors.ts';
import type { Doc, Value } from '../values/value.ts';

/** The fields of a reply that describe an error. */
export function errorFields(error: DatabaseError): Map<string, Value> {
  const fields = new Map<string, Value>([
    ['errmsg', error.message],
    ['code', new Int32(error.code)],
    ['codeName', error.codeName],
  ]);
  if (error instanceof DetailedError) for (const [name, value] of error.details) fields.set(name, value);
  return fields;
}

/** One entry of `writeErrors`: the error of one statement of a batch. */
export function writeError({ index, error }: { readonly index: number; readonly error: DatabaseError }): Doc {
  const fields = new Map<string, Value>([
    ['index', new Int32(index)],
    ['code', new Int32(error.code)],
  ]);
  if (error instanceof DetailedError) for (const [name, value] of error.details) fields.set(name, value);
  return fields.set('errmsg', error.message);
}

/** Returns an error of a single statement. Any other error is a bug and fails the whole command. */
export function asDatabaseError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  throw error;
}
