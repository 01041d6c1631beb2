import { Long } from 'bson';
import { DatabaseError, failedToParse } from '../errors.ts';
import { integerOf } from '../match-operators.ts';
import { isNumber, typeName } from '../value.ts';
import { DAY, fromZone, inZone, isoDayOfWeek, UTC, utcMillis, type Zone } from './calendar.ts';
import { millisOf, zoneArgument } from './date-arguments.ts';
import { isNullish, type Maybe, type NamedArguments, namedOperator, type Operator } from './operator.ts';

/** Adding to dates, distances between them, cutting them to units. */
export const DATE_ARITHMETIC: Readonly<Record<string, Operator>> = {
  $dateAdd: shift(1),
  $dateSubtract: shift(-1),
  $dateDiff: namedOperator(
    ['startDate', 'endDate', 'unit'],
    ['timezone', 'startOfWeek'],
    { notObject: 5166301, unknown: 5166302, absent: { startDate: 5166303, endDate: 5166304, unit: 5166305 } },
    difference,
  ),
  $dateTrunc: namedOperator(
    ['date', 'unit'],
    ['binSize', 'timezone', 'startOfWeek'],
    { notObject: 5439007, unknown: 5439008, absent: { date: 5439009, unit: 5439010 } },
    truncate,
  ),
};

/** Adds units of time to an instant; years, months and weeks by the calendar of the zone, a day too many ends the month. */
export function addUnits(millis: number, unit: Unit, amount: number, zone: Zone = UTC): number {
  const fixed = FIXED[unit];
  if (fixed !== undefined && (unit === 'hour' || fixed < FIXED_HOUR)) return millis + amount * fixed;
  const local = inZone(millis, zone);
  if (fixed !== undefined) return fromZone(local.getTime() + amount * fixed, zone);
  const month = local.getUTCMonth() + amount * MONTHS_IN[unit as keyof typeof MONTHS_IN];
  const first = utcMillis(local.getUTCFullYear(), month);
  const days = (utcMillis(local.getUTCFullYear(), month + 1) - first) / DAY;
  const time = local.getTime() - utcMillis(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate());
  return fromZone(first + (Math.min(local.getUTCDate(), days) - 1) * DAY + time, zone);
}

/** The units of time, by name. */
export type Unit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second' | 'millisecond';

/** Checks the name of a unit of time. */
export function unitOf(value: Maybe, name: string): Unit {
  if (typeof value !== 'string')
    throw new DatabaseError(5439013, `${name} requires 'unit' to be a string, but got ${typeName(value)}`);
  if (!Object.hasOwn(FIXED, value) && !Object.hasOwn(MONTHS_IN, value))
    throw failedToParse(`${name} parameter 'unit' value cannot be recognized as a time unit: ${value}`);
  return value as Unit;
}

const FIXED_HOUR = 3_600_000;
const FIXED: Partial<Record<Unit, number>> = {
  week: 7 * DAY,
  day: DAY,
  hour: FIXED_HOUR,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};
const MONTHS_IN = { year: 12, quarter: 3, month: 1 } as const;

const WEEKDAYS: ReadonlyMap<string, number> = new Map(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].flatMap(
    (day, i) =>
      [
        [day, i + 1],
        [day.slice(0, 3), i + 1],
      ] as const,
  ),
);

function shift(direction: 1 | -1): Operator {
  return namedOperator(
    ['startDate', 'unit', 'amount'],
    ['timezone'],
    { notObject: 5166400, unknown: 5166401, absent: 5166402 },
    (args, name) => {
      const { startDate, unit, amount } = args;
      const zone = 'timezone' in args ? zoneArgument(args.timezone) : UTC;
      if (isNullish(startDate) || isNullish(unit) || isNullish(amount) || zone === undefined) return null;
      if (typeof unit !== 'string') throw new DatabaseError(5166404, `${name} expects string defining the time unit`);
      const by = unitOf(unit, name);
      const whole = isNumber(amount) ? integerOf(amount) : undefined;
      if (whole === undefined) throw new DatabaseError(5166405, `${name} expects integer amount of time units`);
      const start = dateArgument(startDate, 5166403, name, 'startDate');
      const result = addUnits(start, by, direction * Number(whole), zone);
      const date = new Date(result);
      if (Number.isNaN(date.getTime()))
        throw new DatabaseError(5166406, `invalid ${name} 'amount' argument value: ${whole} ${by}`);
      return date;
    },
  );
}

function difference(args: NamedArguments, name: string): Maybe {
  const { startDate, endDate, unit, startOfWeek } = args;
  const zone = 'timezone' in args ? zoneArgument(args.timezone) : UTC;
  const nullWeek = unit === 'week' && 'startOfWeek' in args && isNullish(startOfWeek);
  if (isNullish(startDate) || isNullish(endDate) || isNullish(unit) || zone === undefined || nullWeek) return null;
  const start = dateArgument(startDate, 5166307, name, 'startDate');
  const end = dateArgument(endDate, 5166307, name, 'endDate');
  const by = unitOf(unit, name);
  const week = by === 'week' && 'startOfWeek' in args ? weekdayOf(startOfWeek, name) : 7;
  const fixed = FIXED[by];
  if (fixed !== undefined && fixed < FIXED_HOUR) return Long.fromNumber(Math.floor(end / fixed) - Math.floor(start / fixed));
  const from = inZone(start, zone);
  const to = inZone(end, zone);
  if (by === 'hour') return Long.fromNumber(hoursBetween(start, end, zone));
  return Long.fromNumber(ordinal(to, by, week) - ordinal(from, by, week));
}

/** Hours are counted at their full strokes in the zone, whose offset need not be whole hours. */
function hoursBetween(start: number, end: number, zone: Zone): number {
  const shift = (millis: number) => millis + (zone.offsetAt(start) % FIXED_HOUR);
  return Math.floor(shift(end) / FIXED_HOUR) - Math.floor(shift(start) / FIXED_HOUR);
}

/** The number of the unit that a local time lies in, counted from some fixed point. */
function ordinal(local: Date, unit: Unit, weekStart: number): number {
  const months = local.getUTCFullYear() * 12 + local.getUTCMonth();
  if (unit === 'year' || unit === 'quarter' || unit === 'month') return Math.floor(months / MONTHS_IN[unit]);
  const day = Math.floor(local.getTime() / DAY);
  // 1970-01-01 was a Thursday, the fourth day of its week.
  return unit === 'week' ? Math.floor((day + 4 - weekStart) / 7) : day;
}

function truncate(args: NamedArguments, name: string): Maybe {
  const { date, unit, binSize, startOfWeek } = args;
  const zone = 'timezone' in args ? zoneArgument(args.timezone) : UTC;
  const nullWeek = unit === 'week' && 'startOfWeek' in args && isNullish(startOfWeek);
  if (isNullish(date) || isNullish(unit) || zone === undefined || ('binSize' in args && isNullish(binSize)) || nullWeek)
    return null;
  const millis = dateArgument(date, 5439012, name, 'date');
  const by = unitOf(unit, name);
  const bins = 'binSize' in args ? binSizeOf(binSize, name) : 1;
  const week = by === 'week' && 'startOfWeek' in args ? weekdayOf(startOfWeek, name) : 7;
  return new Date(truncated(millis, by, bins, week, zone));
}

/** Bins are counted from 2000-01-01 in the zone, those of weeks from the first start of a week after it. */
function truncated(millis: number, unit: Unit, bins: number, weekStart: number, zone: Zone): number {
  const reference = utcMillis(2000);
  const fixed = FIXED[unit];
  if (fixed === undefined) {
    const local = inZone(millis, zone);
    const size = MONTHS_IN[unit as keyof typeof MONTHS_IN] * bins;
    const months = (local.getUTCFullYear() - 2000) * 12 + local.getUTCMonth();
    return fromZone(utcMillis(2000, Math.floor(months / size) * size), zone);
  }
  if (fixed <= FIXED_HOUR) {
    const start = fromZone(reference, zone);
    return start + Math.floor((millis - start) / (fixed * bins)) * fixed * bins;
  }
  const saturday = isoDayOfWeek(new Date(reference));
  const start = unit === 'week' ? reference + ((weekStart - saturday + 7) % 7) * DAY : reference;
  const local = inZone(millis, zone).getTime();
  return fromZone(start + Math.floor((local - start) / (fixed * bins)) * fixed * bins, zone);
}

function binSizeOf(value: Maybe, name: string): number {
  const whole = isNumber(value) ? integerOf(value) : undefined;
  if (whole === undefined)
    throw new DatabaseError(
      5439017,
      `${name} requires 'binSize' to be a 64-bit integer, but got value of type ${typeName(value)}`,
    );
  if (whole <= 0n) throw new DatabaseError(5439018, `${name} requires 'binSize' to be greater than 0, but got value ${whole}`);
  return Number(whole);
}

function weekdayOf(value: Maybe, name: string): number {
  if (typeof value !== 'string')
    throw new DatabaseError(5439015, `${name} requires 'startOfWeek' to be a string, but got ${typeName(value)}`);
  const day = WEEKDAYS.get(value.toLowerCase());
  if (day === undefined)
    throw failedToParse(`${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${value}`);
  return day;
}

function dateArgument(value: Exclude<Maybe, undefined>, code: number, name: string, role: string): number {
  try {
    return millisOf(value);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === 16006) {
      throw new DatabaseError(code, `${name} requires '${role}' to be a date, but got ${typeName(value)}`);
    }
    throw error;
  }
}
