import { DatabaseError } from '../errors.ts';
import { fromZone, isoWeek, UTC, utcMillis, type Zone, zoneOf } from './calendar.ts';

/** Parses a date in ISO 8601, with a blank for the T if need be; without an offset of its own it is in the given zone. */
export function parseDate(text: string, zone?: Zone): Date {
  const found = ISO_DATE.exec(text.trim());
  if (found === null) throw parseFailure(text);
  const {
    year,
    month,
    day,
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    offset,
  } = found.groups as Record<string, string>;
  const fields = {
    year: Number(year),
    month: Number(month),
    day: Number(day ?? 1),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  return dateOf(text, { ...fields, millisecond: millisecondsOf(fraction), offset }, zone);
}

/** Parses a date by a format of `%` specifiers. */
export function parseDateWith(text: string, format: string, zone?: Zone): Date {
  const names: string[] = [];
  const source = format.replace(/%(.?)|[\^$\\.*+?()[\]{}|/]/g, (token, specifier: string | undefined) => {
    if (specifier === undefined) return `\\${token}`;
    if (specifier === '%') return '%';
    const known = Object.hasOwn(SPECIFIERS, specifier) ? SPECIFIERS[specifier] : undefined;
    if (known === undefined) throw new DatabaseError(18536, `Invalid format character '%${specifier}' in format string`);
    names.push(known[0]);
    return `(${known[1]})`;
  });
  const found = new RegExp(`^${source}$`, 'i').exec(text);
  if (found === null) throw parseFailure(text);
  const fields: Fields = {};
  names.forEach((name, i) => {
    const value = found[i + 1] as string;
    if (name === 'offset') fields.offset = value;
    else if (name === 'minuteOffset') fields.offset = offsetOfMinutes(Number(value));
    else if (name === 'monthName') fields.month = MONTHS.indexOf(value.slice(0, 3).toLowerCase()) + 1;
    else if (name === 'millisecond') fields.millisecond = millisecondsOf(value);
    else fields[name as 'year'] = Number(value);
  });
  return dateOf(text, fields, zone);
}

/** Why a text is no date. */
export function parseFailure(text: string): DatabaseError {
  return new DatabaseError(241, `Error parsing date string '${text}'`);
}

interface Fields {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  second?: number;
  millisecond?: number;
  dayOfYear?: number;
  isoYear?: number;
  isoWeek?: number;
  isoDay?: number;
  offset?: string | undefined;
}

const ISO_DATE =
  /^(?<year>\d{4})-(?<month>\d{2})(?:-(?<day>\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s*(?<offset>Z|[+-]\d{2}:?(?:\d{2})?)?)?)?$/i;

const SPECIFIERS: Readonly<Record<string, readonly [string, string]>> = {
  Y: ['year', '\\d{4}'],
  m: ['month', '\\d{1,2}'],
  d: ['day', '\\d{1,2}'],
  H: ['hour', '\\d{1,2}'],
  M: ['minute', '\\d{1,2}'],
  S: ['second', '\\d{1,2}'],
  L: ['millisecond', '\\d{1,3}'],
  j: ['dayOfYear', '\\d{1,3}'],
  G: ['isoYear', '\\d{4}'],
  V: ['isoWeek', '\\d{1,2}'],
  u: ['isoDay', '[1-7]'],
  z: ['offset', 'Z|[+-]\\d{2}:?(?:\\d{2})?'],
  Z: ['minuteOffset', '[+-]\\d{1,4}'],
  b: ['monthName', 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'],
  B: ['monthName', 'january|february|march|april|may|june|july|august|september|october|november|december'],
};

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function millisecondsOf(fraction: string): number {
  return Number(fraction.slice(0, 3).padEnd(3, '0'));
}

function offsetOfMinutes(minutes: number): string {
  const part = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${part(Math.floor(Math.abs(minutes) / 60))}${part(Math.abs(minutes) % 60)}`;
}

function dateOf(text: string, fields: Fields, zone: Zone | undefined): Date {
  if (fields.offset !== undefined && zone !== undefined) {
    throw new DatabaseError(
      241,
      `you cannot pass in a date/time string with time zone information ('${fields.offset}') together with a timezone argument`,
    );
  }
  const own = fields.offset === undefined ? (zone ?? UTC) : zoneOf(fields.offset.toUpperCase());
  const { hour = 0, minute = 0, second = 0, millisecond = 0 } = fields;
  if (hour > 23 || minute > 59 || second > 59) throw parseFailure(text);
  const day = dayOf(fields);
  if (day === undefined) throw parseFailure(text);
  return new Date(fromZone(day + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond, own));
}

function dayOf({ year, month = 1, day = 1, dayOfYear, isoYear, isoWeek: week, isoDay = 1 }: Fields): number | undefined {
  if (isoYear !== undefined) {
    const start = utcMillis(isoYear, 0, 4);
    const monday = start - ((new Date(start).getUTCDay() || 7) - 1) * 86_400_000;
    const found = monday + (((week ?? 1) - 1) * 7 + isoDay - 1) * 86_400_000;
    return isoWeek(new Date(found)).year === isoYear ? found : undefined;
  }
  if (year === undefined) return undefined;
  if (dayOfYear !== undefined) return dayOfYear >= 1 && dayOfYear <= 366 ? utcMillis(year, 0, dayOfYear) : undefined;
  const millis = utcMillis(year, month - 1, day);
  const same = month >= 1 && month <= 12 && day >= 1 && new Date(millis).getUTCMonth() === month - 1;
  return same ? millis : undefined;
}
