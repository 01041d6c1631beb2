import { serialize } from 'bson';
import { decode } from '../../src/values/bson.ts';
import { DatabaseError } from '../../src/values/errors.ts';
import type { Doc } from '../../src/values/value.ts';

/** A document in a driver's form: integers are int32 if they fit, and other numbers are doubles. */
export function d(fields: object): Doc {
  return decode(serialize(fields, { ignoreUndefined: false }));
}

/** Documents in a driver's form. */
export function all(...documents: object[]): Doc[] {
  return documents.map(d);
}

/** The result of a function, or its error code. */
export function codeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof DatabaseError) return error.code;
    throw error;
  }
}
