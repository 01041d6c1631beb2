import { afterEach, describe, expect, it, vi } from 'vitest';
import { waitOf } from '../src/store/unsent/due.ts';

afterEach(() => vi.restoreAllMocks());

const hour = 3_600_000;

/** Sets the clock of the device, and that which nobody sets. */
function setClocks(wall: number, steady: number): void {
  vi.spyOn(Date, 'now').mockReturnValue(wall);
  vi.spyOn(performance, 'now').mockReturnValue(steady);
}

const entry = (id: number, retryAt: number, pause: number) => ({ id, retryAt, pause });

describe('a message that waits to be sent', () => {
  it('a message that waits to be sent is due after its pause, even if the clock was set back meanwhile', () => {
    setClocks(10 * hour, 1_000);
    const waiting = entry(1, 10 * hour + 2_000, 2_000);
    expect(waitOf(waiting)).toBe(2_000);
    setClocks(9 * hour, 2_500);
    expect(waitOf(waiting)).toBe(500);
    setClocks(9 * hour, 3_000);
    expect(waitOf(waiting)).toBe(0);
  });

  it('a waiting message is sent after its pause, even if the clock was set back before the page was opened', () => {
    setClocks(9 * hour, 0);
    expect(waitOf(entry(2, 10 * hour + 2_000, 2_000))).toBe(2_000);
    setClocks(9 * hour, 2_000);
    expect(waitOf(entry(2, 10 * hour + 2_000, 2_000))).toBe(0);
  });

  it('a message that waits to be sent waits as long as the service asks, also in a page that was opened again', () => {
    setClocks(10 * hour, 0);
    expect(waitOf(entry(3, 10 * hour + hour, hour))).toBe(hour);
  });
});
