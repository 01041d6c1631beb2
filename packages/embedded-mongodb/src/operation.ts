import { DatabaseError } from './values/errors.ts';

/** So long, in milliseconds, a read works before it lets others have their turn: at first so long that most are done, and keep little in memory. */
const [firstMillis, laterMillis] = [1, 0.25];

/** What takes long as a rule does so in slices that hardly delay anybody. */
const shortMillis = 0.1;

/** MongoDB's limit on what one command may keep in memory, and here also on what the expressions of one document may make. */
const mostHeld = 100 * 1024 * 1024;

/** What all commands and open cursors together may keep in memory. */
const mostHeldByAll = 256 * 1024 * 1024;

/** Who waits for a command. */
type Client = { readonly isClosed: boolean };

/** What the operations of one database keep in memory, all together. */
export type Memory = { held: number };

/** What comes of a sequence, for who need not let others have their turn where it says that they may. */
export function* present<Item>(items: Iterable<Item | undefined>): Generator<Item> {
  for (const item of items) if (item !== undefined) yield item;
}

/** One command at work, and its cursor's further batches: how long it may take, who waits for it, and what it keeps in memory. */
export class Operation {
  readonly #memory: Memory;
  /** What is left of its `maxTimeMS`. The client's time to think, between two batches, does not count. */
  #left = Number.POSITIVE_INFINITY;
  #until = Number.POSITIVE_INFINITY;
  /** 0 between two slices. Where nobody waits, there are no others to think of. */
  #sliceEnd = Number.POSITIVE_INFINITY;
  #firstMillis = firstMillis;
  #laterMillis = laterMillis;
  #sliceMillis = firstMillis;
  #client: Client | undefined;
  #held = 0;
  #made = 0;
  /** Whether a cursor goes on with it. */
  outlivesCommand = false;

  constructor(memory: Memory = { held: 0 }) {
    this.#memory = memory;
  }

  /** Works for a client that waits: for so long, or for as long as was left before. */
  resume(client: Client, millis = this.#left): void {
    this.#client = client;
    this.#until = performance.now() + millis;
    this.#sliceEnd = 0;
    this.#sliceMillis = this.#firstMillis;
  }

  /** Works in short slices from here on. */
  takeShortSlices(): void {
    this.#firstMillis = this.#laterMillis = this.#sliceMillis = shortMillis;
  }

  /** Waits for the client to ask for more. */
  pause(): void {
    this.#left = this.#until - performance.now();
  }

  /** Refuses to go on once the time is up, or nobody waits for the answer. */
  check(): void {
    this.#now();
  }

  /** Between two documents: whether it is time to let others have their turn; refuses to go on like `check`. */
  isDue(): boolean {
    this.#made = 0;
    const now = this.#now();
    this.#sliceEnd ||= now + this.#sliceMillis;
    if (now > this.#sliceEnd) [this.#sliceEnd, this.#sliceMillis] = [0, this.#laterMillis];
    return this.#sliceEnd === 0;
  }

  /** Notes that an expression makes something of so many bytes, which is there until the next document. */
  make(bytes: number): void {
    this.#made += bytes;
    if (this.#made > mostHeld)
      throw new DatabaseError(292, `The expressions of one document exceeded the memory limit of ${mostHeld} bytes`);
  }

  #now(): number {
    const now = performance.now();
    if (now > this.#until) throw new DatabaseError(50, 'operation exceeded time limit');
    if (this.#client?.isClosed) throw new DatabaseError(279, 'the client has closed the connection');
    return now;
  }

  /** Notes that so many more bytes are kept; `what` keeps them stands in the refusal. */
  hold(bytes: number, what: string): void {
    this.#held += bytes;
    this.#memory.held += bytes;
    if (this.#held <= mostHeld && this.#memory.held <= mostHeldByAll) return;
    const limit = this.#held > mostHeld ? `${mostHeld} bytes` : `${mostHeldByAll} bytes of all commands`;
    throw new DatabaseError(292, `${what} exceeded the memory limit of ${limit}, and nothing is put on disk instead`);
  }

  /** Notes that so many bytes are kept no longer; without a number, all. */
  release(bytes = this.#held): void {
    this.#held -= bytes;
    this.#memory.held -= bytes;
  }
}
