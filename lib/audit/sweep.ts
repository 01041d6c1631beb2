import { audit } from '../collections/service/audit.ts';
import { config } from '../settings/config.ts';
import { noteState } from './state.ts';

const batchSize = 500;

type SweepOptions = {
  /** The time now, in milliseconds. */
  now?: number;
  /** When to end, on the clock of `performance.now()`: what is left is for the next sweep. */
  until?: number;
};

/** Cuts off the entries that are older than they are kept, and notes the last of them; returns how many those were. */
export async function sweepAudit({ now = Date.now(), until = Number.POSITIVE_INFINITY }: SweepOptions = {}): Promise<number> {
  const before = new Date(now - config.auditDays * 86_400_000);
  let cut = 0;
  while (performance.now() < until) {
    const some = await audit
      .find({}, { sort: { _id: 1 }, limit: batchSize, batchSize, projection: { at: 1, hash: 1 } })
      .toArray();
    // From the front alone: an entry of a clock that was behind waits for those before it.
    const firstKept = some.findIndex(({ at }) => at >= before);
    const old = firstKept === -1 ? some : some.slice(0, firstKept);
    const last = old.at(-1);
    if (!last) return cut;
    // Noted before anything is gone, so that a cut is never taken for a removal.
    await noteState('cut', { seq: last._id, hash: last.hash });
    cut += (await audit.deleteMany({ _id: { $lte: last._id } })).deletedCount;
    if (some.length < batchSize || firstKept !== -1) return cut;
  }
  return cut;
}
