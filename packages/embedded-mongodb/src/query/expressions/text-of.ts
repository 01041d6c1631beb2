import { BSONSymbol, Code, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import type { Value } from '../value.ts';
import { isoString } from './calendar.ts';

/** The text of a scalar as `$toString` and `$toUpper` write it, `undefined` for what has none. */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Int32 || value instanceof Decimal128) return value.toString();
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Long) return value.toString();
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Date) return isoString(value);
  if (value instanceof BSONSymbol) return value.value;
  return value instanceof Code ? String(value.code) : undefined;
}

/** The seconds as C's `ctime` writes them, without weekday and year, and the increment. */
function timestampText(value: Timestamp): string {
  const [, day, month, , time] = new Date((value.high >>> 0) * 1000).toUTCString().split(' ');
  return `${month} ${String(Number(day)).padStart(2)} ${time}:${value.low >>> 0}`;
}

/** A double as C's `%.16g` writes it, which is what MongoDB does. */
function doubleText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', power = '0'] = value.toExponential(15).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return trimmed(value.toFixed(Math.max(0, 15 - exponent)));
  return `${trimmed(mantissa)}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function trimmed(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}
