import { audit } from '../collections/service/audit.ts';
import { findTip } from './append.ts';

/** The collections of the trail. */
export const trailCollections = ['audit', 'audit_states'] as const;

/**
 * What becomes of the trail in an export that is imported: it is taken over where this database has none, or the beginning of
 * it; this one has it already; or it is left out, because this database has a trail of its own, which must not be replaced.
 */
export async function trailOfImport(entries: AsyncIterable<Record<string, unknown>>): Promise<'taken' | 'present' | 'left out'> {
  const tip = await findTip();
  let [hasTip, lastSeq, lastHash] = [tip.seq === 0, 0, ''];
  for await (const { _id, hash } of entries) {
    if (typeof hash !== 'string') continue;
    [lastSeq, lastHash] = [Number(_id), hash];
    hasTip ||= lastSeq === tip.seq && hash === tip.hash;
  }
  if (hasTip) return 'taken';
  if (lastSeq === 0) return 'present';
  return (await hasEntry(lastSeq, lastHash)) ? 'present' : 'left out';
}

const hasEntry = async (seq: number, hash: string): Promise<boolean> =>
  (await audit.countDocuments({ _id: seq, hash }, { limit: 1 })) === 1;
