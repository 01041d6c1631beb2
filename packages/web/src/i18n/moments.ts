import { isSameDay, timeOf } from './dates.ts';
import { locale } from './locale.ts';

/* Days and times in few words, for lists in which most things are from the last days. */

const dayMs = 86_400_000;

/** Today or yesterday in words, another day as a date: with its year if that is not this one. */
export function dayInWords(date: Date, now = new Date()): string {
  if (isSameDay(date, now)) return relative(0);
  if (isSameDay(date, new Date(now.getTime() - dayMs))) return relative(-1);
  const isThisYear = date.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) }).format(
    date,
  );
}

/** The day in words and the time; without the time of day for another year. */
export const momentInWords = (date: Date, now = new Date()): string =>
  date.getFullYear() === now.getFullYear() ? `${dayInWords(date, now)}, ${timeOf(date)}` : dayInWords(date, now);

/** "Today" or "Yesterday", in the language of the page. */
function relative(days: number): string {
  const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
  return word.charAt(0).toLocaleUpperCase(locale) + word.slice(1);
}
