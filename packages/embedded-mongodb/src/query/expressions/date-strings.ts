import { DatabaseError } from '../errors.ts';
import { typeName } from '../value.ts';
import { dayOfYear, inZone, isoDayOfWeek, isoWeek, UTC, weekOfYear, type Zone } from './calendar.ts';
import { millisOf, zoneArgument } from './date-arguments.ts';
import { parseDate, parseDateWith } from './date-parsing.ts';
import { isNullish, type Maybe, type NamedArguments, namedOperator, type Operator } from './operator.ts';

/** Dates to texts and back. */
export const DATE_STRINGS: Readonly<Record<string, Operator>> = {
  $dateToString: namedOperator(
    ['date'],
    ['format', 'timezone', 'onNull'],
    { notObject: 18629, unknown: 18534, absent: 18628 },
    toText,
  ),
  $dateFromString: namedOperator(
    ['dateString'],
    ['format', 'timezone', 'onNull', 'onError'],
    { notObject: 40540, unknown: 40541, absent: 40542 },
    fromText,
  ),
};

function toText(args: NamedArguments): Maybe {
  const { date, timezone } = args;
  if ('format' in args && !isNullish(args.format) && typeof args.format !== 'string') {
    throw new DatabaseError(18533, `$dateToString requires that 'format' be a string, found: ${typeName(args.format)}`);
  }
  const zone = 'timezone' in args ? zoneArgument(timezone) : UTC;
  if (isNullish(date)) return 'onNull' in args ? args.onNull : null;
  if (zone === undefined || ('format' in args && isNullish(args.format))) return null;
  const format = (args.format as string | undefined) ?? (zone.isUtc ? '%Y-%m-%dT%H:%M:%S.%LZ' : '%Y-%m-%dT%H:%M:%S.%L');
  return formatted(millisOf(date), format, zone);
}

function formatted(millis: number, format: string, zone: Zone): string {
  const local = inZone(millis, zone);
  const year = local.getUTCFullYear();
  if (year < 0 || year > 9999)
    throw new DatabaseError(
      18537,
      `Could not convert date to string: date component was outside the supported range of 0-9999: ${year}`,
    );
  return format.replace(/%([\s\S]?)/g, (_token, specifier: string) => {
    if (specifier === '') throw new DatabaseError(18535, "Unmatched '%' at end of format string");
    const write = Object.hasOwn(SPECIFIERS, specifier) ? SPECIFIERS[specifier] : undefined;
    if (write === undefined) throw new DatabaseError(18536, `Invalid format character '%${specifier}' in format string`);
    return write(local, zone.offsetAt(millis) / 60_000);
  });
}

type Specifier = (local: Date, offsetMinutes: number) => string;

const SPECIFIERS: Readonly<Record<string, Specifier>> = {
  '%': () => '%',
  Y: (local) => digits(local.getUTCFullYear(), 4),
  m: (local) => digits(local.getUTCMonth() + 1, 2),
  d: (local) => digits(local.getUTCDate(), 2),
  H: (local) => digits(local.getUTCHours(), 2),
  M: (local) => digits(local.getUTCMinutes(), 2),
  S: (local) => digits(local.getUTCSeconds(), 2),
  L: (local) => digits(local.getUTCMilliseconds(), 3),
  j: (local) => digits(dayOfYear(local), 3),
  w: (local) => String(local.getUTCDay() + 1),
  u: (local) => String(isoDayOfWeek(local)),
  U: (local) => digits(weekOfYear(local), 2),
  V: (local) => digits(isoWeek(local).week, 2),
  G: (local) => digits(isoWeek(local).year, 4),
  b: (local) => monthName(local).slice(0, 3),
  B: monthName,
  z: (_local, offset) => {
    const minutes = Math.abs(offset);
    return `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60), 2)}${digits(minutes % 60, 2)}`;
  },
  Z: (_local, offset) => `${offset < 0 ? '-' : '+'}${Math.abs(offset)}`,
};

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

function monthName(local: Date): string {
  return MONTHS[local.getUTCMonth()] as string;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

function fromText(args: NamedArguments): Maybe {
  const { dateString, format } = args;
  const zone = 'timezone' in args ? zoneArgument(args.timezone) : undefined;
  if (isNullish(dateString)) return 'onNull' in args ? args.onNull : null;
  if (('timezone' in args && zone === undefined) || ('format' in args && isNullish(format))) return null;
  if (format !== undefined && typeof format !== 'string')
    throw new DatabaseError(40684, `$dateFromString requires that 'format' be a string, found: ${typeName(format)}`);
  try {
    if (typeof dateString !== 'string') {
      throw new DatabaseError(241, `$dateFromString requires that 'dateString' be a string, found: ${typeName(dateString)}`);
    }
    return format === undefined ? parseDate(dateString, zone) : parseDateWith(dateString, format, zone);
  } catch (error) {
    if ('onError' in args && error instanceof DatabaseError && error.code === 241) return args.onError;
    throw error;
  }
}
