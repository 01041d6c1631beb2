import type { Message } from 'chat-service-client';
import { locale } from './locale.ts';

/**
 * Something that depends on the language: made when it is first needed, and again in another
 * language.
 */
function inLanguage<T>(make: () => T): () => T {
  let made: T | undefined;
  let of: string | undefined;
  return () => {
    if (of !== locale) made = undefined;
    of = locale;
    made ??= make();
    return made;
  };
}

const format = (options: Intl.DateTimeFormatOptions) => inLanguage(() => new Intl.DateTimeFormat(locale, options));
const relative = inLanguage(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));

const time = format({ timeStyle: 'short' });
const day = format({ weekday: 'long', day: 'numeric', month: 'long' });
const oldDay = format({ day: 'numeric', month: 'long', year: 'numeric' });
const full = format({ dateStyle: 'full', timeStyle: 'short' });
const short = format({ dateStyle: 'medium', timeStyle: 'short' });

/** When a message was sent. */
export const sentAt = ({ created_at }: Message): Date => new Date(created_at.$date);

/** The time of day. */
export const timeOf = (date: Date): string => time().format(date);

/** The time of day without a word such as PM, for narrow places near the full time. */
export function clockOf(date: Date): string {
  const parts = time().formatToParts(date);
  const isDigits = ({ type }: Intl.DateTimeFormatPart) => type === 'hour' || type === 'minute';
  return parts
    .slice(parts.findIndex(isDigits), parts.findLastIndex(isDigits) + 1)
    .map(({ value }) => value)
    .join('');
}

/** The day, for the line between two days. */
export const dayOf = (date: Date): string => (date.getFullYear() === new Date().getFullYear() ? day : oldDay)().format(date);

/** The day for the line between two days: the last two by their names. */
export const dayLabelOf = (date: Date, now = new Date()): string => capitalised(nearDayOf(date, now) ?? dayOf(date));

/** "today" or "yesterday", in the language of the page; undefined for other days. */
export function nearDayOf(date: Date, now: Date): string | undefined {
  const daysAgo = [0, 1].find((days) => isSameDay(date, new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)));
  return daysAgo === undefined ? undefined : relative().format(-daysAgo, 'day');
}

/** A text that begins a line, with a capital. */
export const capitalised = (text: string): string => {
  const [first = ''] = text;
  return first.toLocaleUpperCase(locale) + text.slice(first.length);
};

/** Day and time in words. */
export const fullOf = (date: Date): string => full().format(date);

/** Day and time, short. */
export const shortOf = (date: Date): string => short().format(date);

/**
 * The usual ends of a period that starts now: in an hour, or at an hour of the next day in local
 * time.
 */
export const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
export const tomorrowAt = (hour: number): Date => new Date(new Date().setHours(24 + hour, 0, 0, 0));

/** True if both are on the same day in local time. */
export const isSameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString();

/** The time of today, or another day. */
export const nearOf = (date: Date): string => (isSameDay(date, new Date()) ? timeOf(date) : dayOf(date));
