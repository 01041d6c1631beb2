import { ObjectId, Timestamp } from 'bson';
import { DatabaseError } from '../errors.ts';
import { typeName, type Value } from '../value.ts';
import { calendarMillis, type Zone, zoneOf } from './calendar.ts';
import { isNullish, type Maybe } from './operator.ts';

/** The instant that a value stands for where an operator wants a date. */
export function millisOf(value: Value): number {
  if (value instanceof Date) return calendarMillis(value);
  if (value instanceof ObjectId) return value.getTimestamp().getTime();
  if (value instanceof Timestamp) return (value.high >>> 0) * 1000;
  throw new DatabaseError(16006, `can't convert from BSON type ${typeName(value)} to Date`);
}

/** The zone named by an argument; `undefined` for null, which makes the whole result null. */
export function zoneArgument(value: Maybe): Zone | undefined {
  if (isNullish(value)) return undefined;
  if (typeof value !== 'string') throw new DatabaseError(40517, `timezone must evaluate to a string, found ${typeName(value)}`);
  return zoneOf(value);
}
