import { type AggregationCursor, ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../base/errors.ts';
import { fileQuotas } from '../collections/rooms/file-quotas.ts';
import { files } from '../collections/rooms/files.ts';
import { retryContended } from '../database/engines.ts';
import { config } from '../settings/config.ts';

/*
 * Quotas are charged before a file is announced, and refunded after its document is deleted. If a
 * process dies in between, the count is too high and never too low. The sweep recounts quotas that
 * have changed, once they are unchanged for a while.
 */

export const quotaExceeded: Refusal = () =>
  conflict('quota_exceeded', "The space for files is used up, the user's or the service's.");

const service = 'service';

/** Charges the bytes of a file to a user's quota; 409 if it is exceeded. */
export async function takeQuota(user: ObjectId, bytes: number): Promise<void> {
  const account = user.toHexString();
  if (!(await reserveBytes(account, bytes, config.files.perUser))) throw quotaExceeded();
  if (await reserveBytes(service, bytes, config.files.inAll)) return;
  await add(account, -bytes);
  throw quotaExceeded();
}

/** Refunds the bytes of a file. */
export const giveQuotaBack = async (user: ObjectId, bytes: number): Promise<void> =>
  void (await Promise.all([add(user.toHexString(), -bytes), add(service, -bytes)]));

async function reserveBytes(owner: string, bytes: number, most: number): Promise<boolean> {
  const used = { $ifNull: ['$bytes', 0] };
  const update = [
    { $set: { bytes: used, is_granted: { $lte: [{ $add: [used, bytes] }, most] }, ...changed } },
    { $set: { bytes: { $cond: ['$is_granted', { $add: ['$bytes', bytes] }, '$bytes'] } } },
  ];
  const options = { upsert: true, returnDocument: 'after' } as const;
  const state = await retryContended(() => fileQuotas.findOneAndUpdate({ _id: owner }, update, options));
  return state?.is_granted === true;
}

const changed = { changes: { $add: [{ $ifNull: ['$changes', 0] }, 1] }, changed_at: '$$NOW', is_unchecked: true };

const add = (owner: string, bytes: number) =>
  fileQuotas.updateOne(
    { _id: owner },
    { $inc: { bytes, changes: 1 }, $set: { is_unchecked: true }, $currentDate: { changed_at: true } },
  );

/** How long a count must be unchanged before a recount: longer than a request. */
const restMs = 60_000;

/**
 * Recounts the quotas that have changed and are at rest. The next call continues if a count changes
 * meanwhile or the time is up.
 */
export async function recountQuotas({ atRestFor = restMs, until = Number.POSITIVE_INFINITY } = {}): Promise<void> {
  const before = new Date(Date.now() - atRestFor);
  const due = await fileQuotas.find({ is_unchecked: true, changed_at: { $lte: before } }, { sort: { _id: 1 } }).toArray();
  // That of the service comes last, because it is the sum of the others.
  for (const { _id, changes } of due) {
    if (performance.now() > until) return;
    const bytes = await (_id === service ? sumOfAccounts() : sumOfFiles(_id));
    await fileQuotas.updateOne({ _id, changes }, { $set: { bytes }, $unset: { is_unchecked: '' } });
  }
}

const sumOfFiles = (account: string) => sumOf(files.aggregate<Sum>([{ $match: { user: new ObjectId(account) } }, ...sum]));

const sumOfAccounts = () => sumOf(fileQuotas.aggregate<Sum>([{ $match: { _id: { $ne: service } } }, ...sum]));

type Sum = { bytes: number };
const sum = [{ $group: { _id: null, bytes: { $sum: '$bytes' } } }];

const sumOf = async (found: AggregationCursor<Sum>): Promise<number> => (await found.toArray())[0]?.bytes ?? 0;
