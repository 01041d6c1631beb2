/**
 * An LRU cache with a maximum number of entries and a maximum total weight. `set` and `touch` count
 * as use, `get` does not.
 */
export class LruCache<T> {
  readonly #things = new Map<string, T>();
  readonly #most: number;
  readonly #mostWeight: number;
  readonly #weightOf: (thing: T) => number;
  #weight = 0;

  constructor(most: number, mostWeight = Number.POSITIVE_INFINITY, weightOf: (thing: T) => number = () => 0) {
    this.#most = most;
    this.#mostWeight = mostWeight;
    this.#weightOf = weightOf;
  }

  get(key: string): T | undefined {
    return this.#things.get(key);
  }

  set(key: string, thing: T): void {
    this.delete(key);
    this.#things.set(key, thing);
    this.#weight += this.#weightOf(thing);
    for (const oldest of this.#things.keys()) {
      if (this.#things.size <= this.#most && this.#weight <= this.#mostWeight) break;
      this.delete(oldest);
    }
  }

  /** Marks an entry as used, if it exists. */
  touch(key: string): void {
    const thing = this.#things.get(key);
    if (thing === undefined) return;
    this.#things.delete(key);
    this.#things.set(key, thing);
  }

  delete(key: string): void {
    const thing = this.#things.get(key);
    if (thing === undefined) return;
    this.#weight -= this.#weightOf(thing);
    this.#things.delete(key);
  }
}
