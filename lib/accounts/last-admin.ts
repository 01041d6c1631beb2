import { setTimeout as delay } from 'node:timers/promises';
import { type Filter, ObjectId, type UpdateFilter, type WithId } from 'mongodb';
import { conflict, serviceUnavailable } from '../errors.ts';
import { living, type UserDocument, users } from '../identity/users.ts';

type Account = Omit<UserDocument, '_id'>;

/**
 * Makes a change after which the account is no active administrator: a demotion, a deactivation, a deletion. 409 for the last one.
 * Returns the account as it is then, or null when there is none.
 *
 * One active administrator must remain, and no single document can tell: whoever leaves counts on others, who may be leaving too. So:
 *
 * 1. The one who leaves is marked, in the account itself, and from then on nobody counts on it.
 * 2. Only then the others are looked at. One that is active and not marked will remain: if it wants to leave later, its own look comes
 *    after this mark, and can't count on this one. Of two who leave at once at least one sees the other's mark, mostly both; then the
 *    one with the greatest id gives way (409, and its mark is taken off), and the others wait until it has.
 * 3. The change is made on condition that the mark is still there, in the same write that takes it off.
 *
 * A process that dies between 1 and 3 leaves a mark behind. After `lease` whoever meets it takes it off before counting on its bearer:
 * should the other process wake up after all, its change finds no mark and is not made. So no clock and no pause can break the rule.
 */
export async function leaveAdmins(id: ObjectId, change: UpdateFilter<Account>): Promise<WithId<Account> | null> {
  const patientUntil = performance.now() + patience;
  while (performance.now() < patientUntil) {
    const plain = { _id: id, ...living, $or: [{ is_admin: false }, { is_active: false }] };
    const changed = await users.findOneAndUpdate(plain, change, { returnDocument: 'after' });
    if (changed) return changed;

    const mark = new ObjectId();
    const unmarked = { _id: id, ...activeAdmin, leaving: { $exists: false } };
    const leaving = { $set: { 'leaving.id': mark }, $currentDate: { 'leaving.at': true } } as UpdateFilter<Account>;
    if ((await users.updateOne(unmarked, leaving)).matchedCount > 0) {
      const left = await leaveMarked(id, mark, change);
      if (left) return left;
      continue;
    }
    // Somebody else is about to change it: it waits until that is done, or takes an abandoned mark off.
    const [found] = await look({ _id: id, ...living });
    if (!found) return null;
    if (!(await takeOffOverdue([found]))) await pause();
  }
  throw serviceUnavailable();
}

/** How long a mark is respected, in milliseconds: longer than it takes to look and change, shorter than a caller waits. */
export const lease = 3_000;

const patience = 2 * lease;
const activeAdmin = { is_admin: true, is_active: true };

async function leaveMarked(id: ObjectId, mark: ObjectId, change: UpdateFilter<Account>): Promise<WithId<Account> | null> {
  const marked = { _id: id, 'leaving.id': mark };
  const withoutMark = { ...change, $unset: { ...change.$unset, leaving: '' } } as UpdateFilter<Account>;
  try {
    await waitForOthers(id);
    return await users.findOneAndUpdate(marked, withoutMark, { returnDocument: 'after' });
  } catch (error) {
    await users.updateOne(marked, { $unset: { leaving: '' } });
    throw error;
  }
}

/** Returns once there is an administrator who remains; 409 when there is none, or when it falls to this one to remain. */
async function waitForOthers(id: ObjectId): Promise<void> {
  const patientUntil = performance.now() + patience;
  while (performance.now() < patientUntil) {
    const others = await look({ ...activeAdmin, _id: { $ne: id } });
    if (others.some(({ leaving }) => !leaving)) return;
    if (await takeOffOverdue(others)) continue;
    if (others.every((other) => other._id.toHexString() < id.toHexString()))
      throw conflict('The last administrator must stay one.');
    await pause();
  }
  throw serviceUnavailable();
}

type Marked = Pick<UserDocument, '_id' | 'leaving'> & { now: Date };

const look = (filter: Filter<Account>): Promise<Marked[]> =>
  users.aggregate<Marked>([{ $match: filter }, { $project: { leaving: 1, now: '$$NOW' } }]).toArray();

/** Takes the marks off that nobody has come back to; whether there were any. */
async function takeOffOverdue(marked: Marked[]): Promise<boolean> {
  const overdue = marked.filter(({ leaving, now }) => leaving && now.getTime() - leaving.at.getTime() > lease);
  for (const { _id, leaving } of overdue) await users.updateOne({ _id, 'leaving.id': leaving?.id }, { $unset: { leaving: '' } });
  return overdue.length > 0;
}

const pause = () => delay(10 + 20 * Math.random());
