import { DatabaseError } from './values/errors.ts';

/**
 * Length of the first and of later slices of a read. The first is long enough for most reads to
 * finish, so that few unfinished reads occupy memory.
 */
const [firstMillis, laterMillis] = [1, 0.25];

/** Slice length of commands that usually take long, so that they hardly delay others. */
const shortMillis = 0.1;

/**
 * MongoDB's memory limit for one command, in bytes. Here it also limits what the expressions of one
 * document may allocate.
 */
const mostHeld = 100 * 1024 * 1024;

/** Memory limit for all commands and open cursors together, in bytes. */
const mostHeldByAll = 256 * 1024 * 1024;

/** The connection that waits for the answer. */
type Client = { readonly isClosed: boolean };

/** The bytes that all operations of one database hold together. */
export type Memory = { held: number };

/** Drops the `undefined` items of a sequence, for callers that need not let other commands run. */
export function* present<Item>(items: Iterable<Item | undefined>): Generator<Item> {
  for (const item of items) if (item !== undefined) yield item;
}

/**
 * A running command with the later batches of its cursor. Limits its time and memory, and stops it
 * if its client disconnects.
 */
export class Operation {
  readonly #memory: Memory;
  /** The rest of `maxTimeMS`. The time between two batches does not count. */
  #left = Number.POSITIVE_INFINITY;
  #until = Number.POSITIVE_INFINITY;
  /** End of the current slice; 0 between slices, and infinite if no client waits. */
  #sliceEnd = Number.POSITIVE_INFINITY;
  #firstMillis = firstMillis;
  #laterMillis = laterMillis;
  #sliceMillis = firstMillis;
  #client: Client | undefined;
  #held = 0;
  #made = 0;
  /** A cursor keeps this operation for its next batches. */
  outlivesCommand = false;

  constructor(memory: Memory = { held: 0 }) {
    this.#memory = memory;
  }

  /** Starts work for a waiting client. The default time limit is the rest of the previous one. */
  resume(client: Client, millis = this.#left): void {
    this.#client = client;
    this.#until = performance.now() + millis;
    this.#sliceEnd = 0;
    this.#sliceMillis = this.#firstMillis;
  }

  takeShortSlices(): void {
    this.#firstMillis = this.#laterMillis = this.#sliceMillis = shortMillis;
  }

  /** Stops the clock until the client asks for more. */
  pause(): void {
    this.#left = this.#until - performance.now();
  }

  /** Throws if the time is up or the client has disconnected. */
  check(): void {
    this.#now();
  }

  /**
   * Call it between two documents. True if the slice is over and other commands should run. Throws
   * like `check`.
   */
  isDue(): boolean {
    this.#made = 0;
    const now = this.#now();
    this.#sliceEnd ||= now + this.#sliceMillis;
    if (now > this.#sliceEnd) [this.#sliceEnd, this.#sliceMillis] = [0, this.#laterMillis];
    return this.#sliceEnd === 0;
  }

  /** Counts bytes that an expression allocates. They are free again at the next document. */
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

  /** Counts bytes that the operation keeps. `what` names their purpose in the error. */
  hold(bytes: number, what: string): void {
    this.#held += bytes;
    this.#memory.held += bytes;
    if (this.#held <= mostHeld && this.#memory.held <= mostHeldByAll) return;
    const limit = this.#held > mostHeld ? `${mostHeld} bytes` : `${mostHeldByAll} bytes of all commands`;
    throw new DatabaseError(292, `${what} exceeded the memory limit of ${limit}, and nothing is put on disk instead`);
  }

  /** Uncounts bytes that the operation no longer keeps; by default all. */
  release(bytes = this.#held): void {
    this.#held -= bytes;
    this.#memory.held -= bytes;
  }
}
