import { type Kind, kinds } from 'chat-service-import/source';

/** The outcomes of one kind of records: `read` is the sum of the others. */
export type Counts = { read: number; written: number; present: number; leftOut: Record<string, number> };

/** The outcomes of all records, and further facts that are worth reporting. */
export type Report = { counts: Record<Kind, Counts>; notes: Record<string, number> };

/** Receives a record that was left out, and the reason. */
export type LeaveOut = (kind: Kind, reason: string, record: unknown) => void;

/**
 * Counts the records that were read, and their outcomes separately, so that a difference reveals a
 * forgotten record.
 */
export class Tally {
  readonly #counts = Object.fromEntries(
    kinds.map((kind) => [kind, { read: 0, written: 0, present: 0, leftOut: {} }]),
  ) as unknown as Record<Kind, Counts>;
  readonly #notes: Record<string, number> = {};
  readonly #leaveOut: LeaveOut;

  constructor(leaveOut: LeaveOut) {
    this.#leaveOut = leaveOut;
  }

  read(kind: Kind, count = 1): void {
    this.#counts[kind].read += count;
  }

  written(kind: Kind, count = 1): void {
    this.#counts[kind].written += count;
  }

  present(kind: Kind, count = 1): void {
    this.#counts[kind].present += count;
  }

  leaveOut(kind: Kind, reason: string, record: unknown): void {
    const { leftOut } = this.#counts[kind];
    leftOut[reason] = (leftOut[reason] ?? 0) + 1;
    this.#leaveOut(kind, reason, record);
  }

  note(what: string, count = 1): void {
    this.#notes[what] = (this.#notes[what] ?? 0) + count;
  }

  /** The report. Throws unless every record has exactly one outcome. */
  report(): Report {
    for (const [kind, { read, written, present, leftOut }] of Object.entries(this.#counts)) {
      const sum = written + present + Object.values(leftOut).reduce((one, other) => one + other, 0);
      if (sum !== read) throw new Error(`Of ${read} ${kind}, ${sum} are accounted for: this is an error of the import.`);
    }
    return { counts: this.#counts, notes: this.#notes };
  }
}
