import { serialize } from 'bson';
import { decode } from '../../src/values/bson.ts';
import { DatabaseError } from '../../src/values/errors.ts';
import type { Doc } from '../../src/values/value.ts';

/** A document as a driver would send it: whole numbers are int32 where they fit, others double. */
export function d(fields: object): Doc {
  return decode(serialize(fields, { ignoreUndefined: false }));
}

/** Documents as a driver would send them. */
export function all(...documents: object[]): Doc[] {
  return documents.map(d);
}

/** The code with which something is refused, or what it answers. */
export function codeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof DatabaseError) return error.code;
    throw error;
  }
}
