import { Double } from 'bson';
import type { Doc, Value } from '../values/value.ts';

/** The reply of a successful command. */
export function reply(fields: Iterable<readonly [string, Value]>): Doc {
  return new Map<string, Value>(fields).set('ok', new Double(1));
}
