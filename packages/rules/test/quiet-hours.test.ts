import { describe, expect, it } from 'vitest';
import { isWithinHours } from '../src/quiet-hours.ts';

const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };
const lunch = { from: '12:00', to: '13:30', time_zone: 'Asia/Kolkata' };

describe('quiet hours', () => {
  it.each([
    ['begin at their first minute', night, '2026-01-10T21:00:00Z', true],
    ['have not begun in the minute before their first', night, '2026-01-10T20:59:59Z', false],
    ['go on over midnight', night, '2026-01-11T02:00:00Z', true],
    ['have ended at their last minute', night, '2026-01-11T06:00:00Z', false],
    ['are on the clock of summer where that holds', night, '2026-07-10T20:30:00Z', true],
    ['are not on the clock of winter in summer', night, '2026-07-11T05:30:00Z', false],
    ['go on in the night in which the clock is put forward', night, '2026-03-29T01:30:00Z', true],
    ['end by the new clock in the morning after it was put forward', night, '2026-03-29T05:00:00Z', false],
    ['may begin and end on one day', lunch, '2026-01-10T07:00:00Z', true],
    ['that begin and end on one day are over after their end', lunch, '2026-01-10T08:00:00Z', false],
    ['of a time zone that is unknown here are none', { ...night, time_zone: 'Mars/Olympus' }, '2026-01-11T02:00:00Z', false],
  ])('quiet hours %s', (_what, hours, time, isQuiet) => {
    expect(isWithinHours(hours, new Date(time))).toBe(isQuiet);
  });

  it('quiet hours are computed for more time zones than exist', () => {
    for (let number = 0; number < 600; number++) isWithinHours({ ...night, time_zone: `Nowhere/${number}` }, new Date());
    expect(isWithinHours(night, new Date('2026-01-11T02:00:00Z'))).toBe(true);
  });
});
