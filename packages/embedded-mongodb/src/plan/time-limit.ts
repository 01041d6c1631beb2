import { DatabaseError } from '../values/errors.ts';

/** How long a command, with its cursor's further batches, may work: its `maxTimeMS`. The client's time to think does not count. */
export class TimeLimit {
  #left: number;
  #until: number;

  constructor(millis: number) {
    this.#left = millis;
    this.#until = performance.now() + millis;
  }

  pause(): void {
    this.#left = this.#until - performance.now();
  }

  resume(): void {
    this.#until = performance.now() + this.#left;
  }

  /** Refuses to go on once the time is up. */
  check(): void {
    if (performance.now() > this.#until) throw new DatabaseError(50, 'operation exceeded time limit');
  }
}
