import { afterEach, describe, expect, it } from 'vitest';
import { setLocale } from '../src/i18n/locale.ts';
import { dayInWords, momentInWords } from '../src/i18n/moments.ts';

const now = new Date(2026, 2, 1, 0, 30);
afterEach(() => setLocale('en-GB'));

describe('a moment in a sentence', () => {
  it.each([
    ['en-GB', new Date(2026, 2, 1, 0, 5), 'today, 00:05'],
    ['en-GB', new Date(2026, 1, 28, 23, 59), 'yesterday, 23:59'],
    ['en-GB', new Date(2026, 1, 27, 8, 0), '27 Feb, 08:00'],
    ['en-GB', new Date(2025, 11, 31, 8, 0), '31 Dec 2025'],
    ['en-GB', new Date(2027, 0, 1, 9, 0), '1 Jan 2027, 09:00'],
    ['de', new Date(2026, 2, 1, 0, 5), 'heute, 00:05'],
    ['de', new Date(2026, 1, 28, 12, 0), 'gestern, 12:00'],
  ])('in %s, %s is %s', (language, date, expected) => {
    setLocale(language);
    expect(momentInWords(date, now)).toBe(expected);
  });

  it('is Arabic in Arabic', () => {
    setLocale('ar');
    expect([dayInWords(now, now), dayInWords(new Date(2026, 1, 28), now)]).toEqual(['اليوم', 'أمس']);
  });
});
