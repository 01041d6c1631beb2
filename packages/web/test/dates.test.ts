import { afterEach, describe, expect, it } from 'vitest';
import { dayLabelOf } from '../src/i18n/dates.ts';
import { setLocale } from '../src/i18n/locale.ts';

afterEach(() => setLocale('en-GB'));

describe('the line between two days', () => {
  it.each([
    ['en-GB', ['Today', 'Yesterday', 'Tuesday 24 November']],
    ['de-DE', ['Heute', 'Gestern', 'Dienstag, 24. November']],
    ['ar-EG', ['اليوم', 'أمس', 'الثلاثاء، ٢٤ نوفمبر']],
  ])('the line between two days names today and yesterday, and the date of other days: %s', (locale, expected) => {
    setLocale(locale);
    const now = new Date(2026, 10, 28, 0, 5);
    const days = [new Date(2026, 10, 28, 0, 1), new Date(2026, 10, 27, 0, 1), new Date(2026, 10, 24, 23, 59)];
    expect(days.map((day) => dayLabelOf(day, now))).toEqual(expected);
  });
});
