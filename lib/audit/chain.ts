import { createHash } from 'node:crypto';
import type { AuditDocument } from '../collections/service/audit.ts';

/*
 * The hash of each entry includes the hash of the one before. So a change, removal, insertion or
 * move within the log would change every later hash.
 */

/** An entry before the chain's fields are added. */
type UnchainedEntry = Omit<AuditDocument, 'hash' | 'previous'>;

/** The end of a chain: the number and the hash of its last entry. */
export type Tip = { seq: number; hash: string };

/** The end of an empty chain. */
export const noTip: Tip = { seq: 0, hash: '' };

/** Adds the fields that link an entry to the one before. */
export function chained(entry: UnchainedEntry, previous: string): AuditDocument {
  return { ...entry, previous, hash: hashOf({ ...entry, previous }) };
}

/** The hash of an entry: SHA-256 of its canonical form, in hexadecimal. */
export const hashOf = (entry: Omit<AuditDocument, 'hash'>): string => createHash('sha256').update(canonical(entry)).digest('hex');

/**
 * The canonical form of an entry: a JSON array without blanks, with ids in hexadecimal, and details
 * sorted by name.
 */
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
