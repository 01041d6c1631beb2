import { audit } from '../collections/service/audit.ts';
import { findTip } from './append.ts';

/** The collections of the log. */
export const trailCollections = ['audit', 'audit_states'] as const;

/**
 * Decides how to import the audit log of an export. `taken`: the log here is missing, or is the
 * first part of the exported one. `present`: this database has all of it already. `left out`: this
 * database has a different log, which must not be replaced.
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
