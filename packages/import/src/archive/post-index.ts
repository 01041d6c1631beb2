/**
 * The place of a message: its line, and the index of the reply in the line, or -1 for the post
 * itself.
 */
type Post = { at: number; offset: number; length: number; reply: number };

/**
 * The places of the messages of all rooms, ordered by time. Each takes about thirty bytes, because
 * there may be millions.
 */
export class PostIndex {
  #times = new Float64Array(1_024);
  #offsets = new Float64Array(1_024);
  #lengths = new Uint32Array(1_024);
  #replies = new Int32Array(1_024);
  #rooms = new Uint32Array(1_024);
  #order = new Uint32Array(0);
  readonly #numbers = new Map<string, number>();
  /** The index of each room's first message in this order. */
  readonly #starts: number[] = [];
  count = 0;

  add(room: string, { at, offset, length, reply }: Post): void {
    if (this.count === this.#times.length) this.#grow();
    const number = this.#numbers.get(room) ?? this.#numbers.size;
    this.#numbers.set(room, number);
    this.#times[this.count] = at;
    this.#offsets[this.count] = offset;
    this.#lengths[this.count] = length;
    this.#replies[this.count] = reply;
    this.#rooms[this.count] = number;
    this.count++;
  }

  /**
   * Sorts by room and time; messages of the same time stay in the order of the file. Call it after
   * all messages were added.
   */
  sort(): void {
    const [rooms, times] = [this.#rooms, this.#times];
    this.#order = Uint32Array.from({ length: this.count }, (_, index) => index).sort(
      (one, other) => (rooms[one] ?? 0) - (rooms[other] ?? 0) || (times[one] ?? 0) - (times[other] ?? 0) || one - other,
    );
    for (const [position, index] of this.#order.entries()) this.#starts[rooms[index] ?? 0] ??= position;
  }

  *of(room: string): Generator<Post> {
    const number = this.#numbers.get(room);
    if (number === undefined) return;
    for (let position = this.#starts[number] ?? 0; position < this.count; position++) {
      const index = this.#order[position] ?? 0;
      if (this.#rooms[index] !== number) return;
      yield {
        at: this.#times[index] ?? 0,
        offset: this.#offsets[index] ?? 0,
        length: this.#lengths[index] ?? 0,
        reply: this.#replies[index] ?? 0,
      };
    }
  }

  #grow(): void {
    const size = 2 * this.count;
    const larger = <T extends { set: (from: T) => void }>(old: T, made: T): T => {
      made.set(old);
      return made;
    };
    this.#times = larger<Float64Array<ArrayBuffer>>(this.#times, new Float64Array(size));
    this.#offsets = larger<Float64Array<ArrayBuffer>>(this.#offsets, new Float64Array(size));
    this.#lengths = larger<Uint32Array<ArrayBuffer>>(this.#lengths, new Uint32Array(size));
    this.#replies = larger<Int32Array<ArrayBuffer>>(this.#replies, new Int32Array(size));
    this.#rooms = larger<Uint32Array<ArrayBuffer>>(this.#rooms, new Uint32Array(size));
  }
}
