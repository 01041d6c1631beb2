import { ObjectId } from 'mongodb';
import { loginLimits } from '../collections/login-limits.ts';
import { config } from '../config.ts';
import { inBatches, retryContended } from '../database/writes.ts';
import type { Caller } from '../identity/caller.ts';
import { failClosed, keyOf, minute, networkOf, returnSlots, settleSlots, takeSlot } from './slots.ts';

/** An attempt with a password that was admitted; one of the two must follow. */
export type Attempt = { failed: () => Promise<void>; succeeded: () => Promise<void> };

/**
 * Admits an attempt to log in, or refuses it with 429. `account` is the user's id, or the name that no user has.
 *
 * The limit of an account over all addresses would let anyone lock its owner out, and that of an address everyone behind it. So neither holds
 * for an address from which there was a login to the account (or its sign-up) in the last 90 days: there only the limit of both does.
 */
export function beginAttempt(account: string, address: string): Promise<Attempt> {
  return failClosed(async () => {
    const id = new ObjectId();
    const here = keyOfBoth(account, address);
    const others = { account: keyOf('account', account), address: keyOf('address', networkOf(address)) };
    const right = `${others.account} right`;

    // The narrowest first: an attempt that is refused there takes no slot from others.
    const { known_until, checked_at } = await takeSlot(here, id, { most: 5, window: 15 * minute });
    const isKnown = known_until !== undefined && known_until > checked_at;
    const taken = await Promise.allSettled([
      takeSlot(others.account, id, { most: isKnown ? Number.POSITIVE_INFINITY : 100, window: 60 * minute }),
      takeSlot(others.address, id, { most: isKnown ? Number.POSITIVE_INFINITY : 50, window: 5 * minute }),
      takeRight(right, id),
    ]);
    const wrong = [here, others.account, others.address];
    const refused = taken.find((result) => result.status === 'rejected');
    if (refused) {
      await returnSlots([...wrong, right], id);
      throw refused.reason;
    }
    return attempt(id, wrong, right, () => remember(here));
  });
}

/**
 * Admits an attempt to confirm the password of someone who is signed in, or refuses it with 429. Each session has a limit of its own, which
 * nobody who guesses elsewhere can exhaust; named tokens, of which one makes as many as one likes, share one.
 */
export function beginConfirmation(user: ObjectId, { _id, kind }: Caller['token']): Promise<Attempt> {
  return failClosed(async () => {
    const id = new ObjectId();
    const account = keyOf('account', user.toHexString());
    const key = `${account} ${kind === 'session' ? keyOf('session', _id.toHexString()) : 'tokens'}`;
    const right = `${account} right`;
    await takeSlot(key, id, { most: 5, window: 15 * minute });
    try {
      await takeRight(right, id);
    } catch (error) {
      await returnSlots([key], id);
      throw error;
    }
    return attempt(id, [key], right);
  });
}

/** An attempt that holds a slot in each of `wrong` and in `right`: it keeps those of its outcome. */
const attempt = (id: ObjectId, wrong: string[], right: string, onSuccess = async () => {}): Attempt => ({
  failed: () => failClosed(async () => void (await Promise.all([settleSlots(wrong, id), returnSlots([right], id)]))),
  succeeded: () =>
    failClosed(async () => void (await Promise.all([returnSlots(wrong, id), settleSlots([right], id), onSuccess()]))),
});

// Checking a password is dear, also when it is right: a slot is kept by who has logged in, and returned by who has not.
async function takeRight(key: string, id: ObjectId): Promise<void> {
  if (config.limits.areOn) await takeSlot(key, id, { most: config.limits.loginsPerMinute, window: minute });
}

/** Notes that an address is one of the account's owner's. */
export const rememberAddress = (account: string, address: string): Promise<void> => remember(keyOfBoth(account, address));

/** Forgets the failed logins of an account, and the addresses of its owner. */
export async function forgetAttempts(account: string): Promise<void> {
  const key = keyOf('account', account);
  await inBatches(loginLimits, { _id: { $gte: key, $lt: `${key}!` } }, (some) => loginLimits.deleteMany(some));
}

const knownFor = 90 * 24 * 60 * minute;

async function remember(key: string): Promise<void> {
  const until = { $add: ['$$NOW', knownFor] };
  const change = { checked_at: '$$NOW', attempts: { $ifNull: ['$attempts', []] }, known_until: until, expires_at: until };
  await retryContended(() => loginLimits.updateOne({ _id: key }, [{ $set: change }], { upsert: true }));
}

// It begins with the key of the account, by which all of its keys are found.
const keyOfBoth = (account: string, address: string) =>
  `${keyOf('account', account)} ${keyOf('address', JSON.stringify([account, networkOf(address)]))}`;
