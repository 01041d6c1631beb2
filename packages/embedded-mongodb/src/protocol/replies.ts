import { Double } from 'bson';
import type { Doc, Value } from '../values/value.ts';

/** The answer of a command that went well. */
export function reply(fields: Iterable<readonly [string, Value]>): Doc {
  return new Map<string, Value>(fields).set('ok', new Double(1));
}
