import { audit } from '../collections/service/audit.ts';
import { config } from '../settings/config.ts';
import { noteState } from './state.ts';

const batchSize = 500;

type SweepOptions = {
  /** The current time, in milliseconds. */
  now?: number;
  /** When to end, on the clock of `performance.now()`. The next sweep continues. */
  until?: number;
};

/**
 * Cuts off the entries that are older than `auditDays`, and records the last of them. Returns how
 * many were cut off.
 */
export async function sweepAudit({ now = Date.now(), until = Number.POSITIVE_INFINITY }: SweepOptions = {}): Promise<number> {
  const before = new Date(now - config.auditDays * 86_400_000);
  let cut = 0;
  while (performance.now() < until) {
    const some = await audit
      .find({}, { sort: { _id: 1 }, limit: batchSize, batchSize, projection: { at: 1, hash: 1 } })
      .toArray();
    // Cuts only at the front. An old entry behind a newer one, from a slow clock, has to wait.
    const firstKept = some.findIndex(({ at }) => at >= before);
    const old = firstKept === -1 ? some : some.slice(0, firstKept);
    const last = old.at(-1);
    if (!last) return cut;
    // Recorded before the deletion, so that the verification never reports a cut as a removal.
    await noteState('cut', { seq: last._id, hash: last.hash });
    cut += (await audit.deleteMany({ _id: { $lte: last._id } })).deletedCount;
    if (some.length < batchSize || firstKept !== -1) return cut;
  }
  return cut;
}
