import { DatabaseError } from '../errors.ts';
import { dateMillis, FarDate } from '../value.ts';

/** A time zone: what to add to UTC at an instant, in milliseconds. */
export interface Zone {
  readonly isUtc: boolean;
  offsetAt(utcMillis: number): number;
}

/** UTC. */
export const UTC: Zone = { isUtc: true, offsetAt: () => 0 };

/** The zone of a name such as `Europe/Berlin`, or of an offset such as `+02:00`. */
export function zoneOf(name: string): Zone {
  if (name === 'UTC' || name === 'GMT' || name === 'Z') return UTC;
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = offsetZone(name) ?? namedZone(name);
  if (zone === undefined) throw new DatabaseError(40485, `unrecognized time zone identifier: "${name}"`);
  zones.set(name, zone);
  return zone;
}

/** The instant as a Date whose UTC fields read what a clock in the zone shows. */
export function inZone(utcMillis: number, zone: Zone): Date {
  return new Date(utcMillis + zone.offsetAt(utcMillis));
}

/** The instant at which a clock in the zone shows this, given as if it were UTC. */
export function fromZone(localMillis: number, zone: Zone): number {
  if (zone.isUtc) return localMillis;
  const first = localMillis - zone.offsetAt(localMillis);
  const second = localMillis - zone.offsetAt(first);
  // Around a change of the clocks the first guess may lie on its other side.
  return second === first || zone.offsetAt(second) === localMillis - second ? second : first;
}

/** Milliseconds of a date that JavaScript can calculate with; MongoDB's own calendar ends likewise. */
export function calendarMillis(date: Date): number {
  if (date instanceof FarDate)
    throw new DatabaseError(
      18537,
      `Could not convert date to string: date component was outside the supported range of 0-9999: ${date.millis}`,
    );
  return date.getTime();
}

/** Milliseconds of a civil date; years below 100 mean what they say. */
export function utcMillis(year: number, month = 0, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getTime();
}

/** `2018-03-27T16:58:51.538Z`. */
export function isoString(date: Date): string {
  const millis = dateMillis(date);
  const plain = new Date(Number(millis));
  const year = plain.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9999) {
    throw new DatabaseError(
      18537,
      `Could not convert date to string: date component was outside the supported range of 0-9999: ${millis}`,
    );
  }
  return plain.toISOString();
}

/** A day in milliseconds. */
export const DAY = 86_400_000;

/** 1 to 366. */
export function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - utcMillis(date.getUTCFullYear())) / DAY) + 1;
}

/** Weeks begin on Sundays; days before the first Sunday are in week 0. */
export function weekOfYear(date: Date): number {
  return Math.floor((dayOfYear(date) - 1 + 7 - date.getUTCDay()) / 7);
}

/** Monday is 1, Sunday 7. */
export function isoDayOfWeek(date: Date): number {
  return date.getUTCDay() || 7;
}

/** The week and the year it belongs to, by ISO 8601: a week belongs to the year of its Thursday. */
export function isoWeek(date: Date): { week: number; year: number } {
  const thursday = new Date(date.getTime() + (4 - isoDayOfWeek(date)) * DAY);
  return { week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1, year: thursday.getUTCFullYear() };
}

const zones = new Map<string, Zone>();

function offsetZone(name: string): Zone | undefined {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(name) ?? [];
  if (sign === undefined) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { isUtc: offset === 0, offsetAt: () => offset };
}

function namedZone(name: string): Zone | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  const clock = clockOf(name);
  if (clock === undefined) return undefined;
  return {
    isUtc: false,
    offsetAt(millis) {
      const whole = Math.floor(millis / 1000) * 1000;
      const part = new Map(clock.formatToParts(whole).map(({ type, value }) => [type, value]));
      const number = (type: Intl.DateTimeFormatPartTypes) => Number(part.get(type));
      const year = part.get('era') === 'BC' ? 1 - number('year') : number('year');
      return utcMillis(year, number('month') - 1, number('day'), number('hour'), number('minute'), number('second')) - whole;
    },
  };
}

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const numeric = 'numeric';
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch {
    return undefined;
  }
}
