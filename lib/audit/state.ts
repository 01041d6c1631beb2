import { type AuditStateDocument, auditStates } from '../collections/service/audit.ts';
import { isDuplicateKey } from '../database/failures.ts';
import type { Tip } from './chain.ts';

/** Stores an end of the log, unless another process has stored a later one. */
export async function noteState(_id: AuditStateDocument['_id'], { seq, hash }: Tip): Promise<void> {
  try {
    await auditStates.updateOne({ _id, seq: { $lt: seq } }, { $set: { seq, hash } }, { upsert: true });
  } catch (error) {
    // The filter does not match, because the stored end is later.
    if (!isDuplicateKey(error)) throw error;
  }
}

/** An end of the log; undefined if none is stored. */
export const readState = (_id: AuditStateDocument['_id']): Promise<Tip | undefined> =>
  auditStates.findOne({ _id }).then((found) => found ?? undefined);
