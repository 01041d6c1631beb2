import { nearDayOf, timeOf } from './dates.ts';
import { locale } from './locale.ts';

/*
 * Days and times in few words, for lists in which most things are from the last days. They stand in
 * sentences: `capitalised` is for lines that begin with one.
 */

/**
 * Today or yesterday in words, another day as a date; with the year if it is not the current one.
 */
export function dayInWords(date: Date, now = new Date()): string {
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return nearDayOf(date, now) ?? new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year }).format(date);
}

/** The day in words and the time; without the time of day for an earlier year. */
export const momentInWords = (date: Date, now = new Date()): string =>
  date.getFullYear() >= now.getFullYear() ? `${dayInWords(date, now)}, ${timeOf(date)}` : dayInWords(date, now);
