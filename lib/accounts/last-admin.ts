import { type Filter, ObjectId, type UpdateFilter, type WithId } from 'mongodb';
import { attempt } from '../base/deadline.ts';
import { conflict, type Refusal } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';

type Account = Omit<UserDocument, '_id'>;

export const lastAdminMustStay: Refusal = () => conflict('last_admin', 'The last administrator must remain an administrator.');

/**
 * Makes a change after which the account is not an active administrator: a demotion, a
 * deactivation, a deletion. 409 for the last administrator. Returns the changed account, or null if
 * it does not exist.
 *
 * One active administrator must remain. No single document can ensure that: an administrator who
 * steps down relies on others, who may be stepping down too. So:
 *
 * 1. A field claims the account that steps down. From then on nobody relies on it.
 *
 * 2. Only then the other administrators are read. An active one without a claim will remain: before
 *    it steps down, it must read the others, and then it finds this claim. If two accounts step
 *    down concurrently, at least one of them sees the other's claim. Then the account with the
 *    greatest id gives way (409, and its claim is released), and the others wait until it has.
 *
 * 3. The change requires that the claim is still there, and the same write releases it.
 *
 * A process that dies between 1 and 3 leaves its claim in the database. After `claimTtl`, the next
 * process that finds the claim releases it before it relies on the account. If the first process
 * continues after all, its change finds no claim and is not made. So the rule does not depend on
 * clocks or pauses.
 */
export async function stepDownAdmin(id: ObjectId, change: UpdateFilter<Account>): Promise<WithId<Account> | null> {
  const { account } = await attempt({ milliseconds: patience, pause }, async () => {
    const plain = { _id: id, $or: [{ is_admin: false }, { is_active: false }] };
    const changed = await users.findOneAndUpdate(plain, change, { returnDocument: 'after' });
    if (changed) return { account: changed };

    const claim = new ObjectId();
    const unclaimed = { _id: id, ...activeAdmin, leaving: { $exists: false } };
    const claiming = { $set: { 'leaving.id': claim }, $currentDate: { 'leaving.at': true } } as UpdateFilter<Account>;
    if ((await users.updateOne(unclaimed, claiming)).matchedCount > 0) {
      const left = await changeClaimed(id, claim, change);
      return left ? { account: left } : undefined;
    }
    // Another process is changing the account: wait until it has finished, or release its abandoned
    // claim.
    const [found] = await find({ _id: id });
    if (!found) return { account: null };
    await releaseExpiredClaims([found]);
    return undefined;
  });
  return account;
}

/**
 * How long a claim is respected, in milliseconds: longer than a change takes, shorter than a caller
 * waits.
 */
export const claimTtl = 3_000;

const patience = 2 * claimTtl;
const pause = () => 10 + 20 * Math.random();
/** Counts the active administrators. */
export const countAdministrators = (): Promise<number> => users.countDocuments(activeAdmin);

const activeAdmin = { is_admin: true, is_active: true };

async function changeClaimed(id: ObjectId, claim: ObjectId, change: UpdateFilter<Account>): Promise<WithId<Account> | null> {
  const claimed = { _id: id, 'leaving.id': claim };
  const releasing = { ...change, $unset: { ...change.$unset, leaving: '' } } as UpdateFilter<Account>;
  try {
    await waitForOthers(id);
    return await users.findOneAndUpdate(claimed, releasing, { returnDocument: 'after' });
  } catch (error) {
    await users.updateOne(claimed, { $unset: { leaving: '' } });
    throw error;
  }
}

/**
 * Returns once another administrator is sure to remain. 409 if no other exists, or if this one has
 * to remain.
 */
async function waitForOthers(id: ObjectId): Promise<void> {
  await attempt({ milliseconds: patience, pause }, async () => {
    const others = await find({ ...activeAdmin, _id: { $ne: id } });
    if (others.some(({ leaving }) => !leaving)) return true;
    const released = await releaseExpiredClaims(others);
    if (!released && others.every((other) => other._id.toHexString() < id.toHexString())) throw lastAdminMustStay();
    return undefined;
  });
}

type ClaimedAdmin = Pick<UserDocument, '_id' | 'leaving'> & { now: Date };

const find = (filter: Filter<Account>): Promise<ClaimedAdmin[]> =>
  users.aggregate<ClaimedAdmin>(filter, [{ $project: { leaving: 1, now: '$$NOW' } }]).toArray();

/** Releases abandoned claims; returns true if there were any. */
async function releaseExpiredClaims(claimed: ClaimedAdmin[]): Promise<boolean> {
  const expired = claimed.filter(({ leaving, now }) => leaving && Math.abs(now.getTime() - leaving.at.getTime()) > claimTtl);
  for (const { _id, leaving } of expired) await users.updateOne({ _id, 'leaving.id': leaving?.id }, { $unset: { leaving: '' } });
  return expired.length > 0;
}
