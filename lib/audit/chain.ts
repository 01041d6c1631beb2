import { createHash } from 'node:crypto';
import type { AuditDocument } from '../collections/service/audit.ts';

/*
 * Each entry has the hash of the one before it within its own hash, so that nothing can be changed, removed, added or
 * moved within the trail without every later hash being another one.
 */

/** An entry without what the chain adds to it. */
type UnchainedEntry = Omit<AuditDocument, 'hash' | 'previous'>;

/** Where a chain ends: the number and the hash of its last entry. */
export type Tip = { seq: number; hash: string };

/** Before the first entry. */
export const noTip: Tip = { seq: 0, hash: '' };

/** Adds to an entry what joins it to the one before. */
export function chained(entry: UnchainedEntry, previous: string): AuditDocument {
  return { ...entry, previous, hash: hashOf({ ...entry, previous }) };
}

/** The hash of an entry: SHA-256 of its canonical form, in hexadecimal. */
export const hashOf = (entry: Omit<AuditDocument, 'hash'>): string => createHash('sha256').update(canonical(entry)).digest('hex');

/** The canonical form of an entry: a JSON array without blanks, with ids in hexadecimal, and details by their names. */
const canonical = ({ _id, at, actor, action, target, details, source, failed, previous }: Omit<AuditDocument, 'hash'>): string =>
  JSON.stringify([
    _id,
    at.toISOString(),
    [actor.kind, actor.id?.toHexString() ?? null, actor.name],
    action,
    target && [target.kind, target.id?.toHexString() ?? null, target.name],
    Object.entries(details).sort(([one], [other]) => (one < other ? -1 : 1)),
    source,
    failed,
    previous,
  ]);
