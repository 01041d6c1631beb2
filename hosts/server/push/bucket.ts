/** A token bucket: so many a minute, and as many in a row. Times are in milliseconds. */
export class Bucket {
  readonly #perMinute: number;
  #left: number;
  #at: number;

  constructor(perMinute: number, now = performance.now()) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
    this.#at = now;
  }

  /** Takes `count`; false, and takes none, when there are not as many. */
  take(count: number, now = performance.now()): boolean {
    this.#left = Math.min(this.#perMinute, this.#left + ((now - this.#at) * this.#perMinute) / 60_000);
    this.#at = now;
    if (this.#left < count) return false;
    this.#left -= count;
    return true;
  }

  /** Whether less than half of it is used. */
  get isMostlyFull(): boolean {
    return this.#left > this.#perMinute / 2;
  }
}
