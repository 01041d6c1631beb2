/**
 * A token bucket that admits `perMinute` per minute, with a burst of the same size. Times are in
 * milliseconds.
 */
export class Bucket {
  readonly #perMinute: number;
  #left: number;
  #at: number;

  constructor(perMinute: number, now = performance.now()) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
    this.#at = now;
  }

  /** Takes `count` tokens; false, without taking any, if there are fewer. */
  take(count: number, now = performance.now()): boolean {
    this.#left = Math.min(this.#perMinute, this.#left + ((now - this.#at) * this.#perMinute) / 60_000);
    this.#at = now;
    if (this.#left < count) return false;
    this.#left -= count;
    return true;
  }

  /** True if less than half of the tokens are used. */
  get isMostlyFull(): boolean {
    return this.#left > this.#perMinute / 2;
  }
}
