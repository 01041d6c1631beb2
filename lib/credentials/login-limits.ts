import { ObjectId } from 'mongodb';
import { loginLimits } from '../collections/accounts/login-limits.ts';
import { inBatches, retryContended } from '../database/writes.ts';
import type { Caller } from '../identity/caller.ts';
import { failClosed, keyOf, minute, networkOf, returnSlots, settleSlots, takeSlot } from '../identity/slots.ts';
import { config } from '../settings/config.ts';

/**
 * An attempt with a password that was admitted; one of the three must follow. It was withdrawn when the password is
 * right and nothing can be said of the rest.
 */
export type Attempt = Record<'failed' | 'succeeded' | 'withdrawn', () => Promise<void>>;

/** An attempt to log in. A code of the second factor is counted before it is looked at: 429 if there were too many. */
export type LoginAttempt = Attempt & { countCode: () => Promise<void> };

/**
 * Where an attempt to log in comes from: an address, and the program that is used there; and whether it is a first
 * step, which lacks the code of a second factor that the account has.
 */
type Origin = { source: string; agent: string | undefined; isFirstStep?: boolean };

/**
 * Admits an attempt to log in, or refuses it with 429. `account` is the user's id, or the name that no user has.
 *
 * A limit of an account over all addresses would let anyone lock its owner out. A limit of an address would lock out
 * everyone who shares it. So neither holds for an address from which there was a login to the account (or its
 * sign-up) in the last 90 days: there, only the limit of the account and the address together holds, and failures do
 * not count against others at the address. For those others, each program has a limit of its own below that of the
 * address, so that one of many colleagues does not stop the rest. A program that changes its name gets at most five
 * times as much.
 *
 * The codes of a second factor that are wrong are counted for the account over all addresses that are not known, 10 in
 * 15 minutes and 50 a day: they are short, and those who guess them know the password. Of all that fit into a year,
 * one is right with a probability of 5 %. The owner goes on where there was a login.
 */
export function beginLogin(account: string, { source: address, agent = '', isFirstStep = false }: Origin): Promise<LoginAttempt> {
  return failClosed(async () => {
    const id = new ObjectId();
    const here = keyOfBoth(account, address);
    const ofAccount = keyOf('account', account);
    // First steps of somebody who has the password alone must not use up the logins of the owner.
    const right = isFirstStep ? `${here} first step` : `${ofAccount} right`;

    // The narrowest first: an attempt that is refused there takes no slot from others.
    const { known_until, checked_at } = await takeSlot(here, id, { most: 5, window: 15 * minute });
    const knownFor = known_until ? known_until.getTime() - checked_at.getTime() : 0;
    const isKnown = knownFor > 0 && knownFor <= mostKnown;
    const network = networkOf(address);
    const ofAddress = isKnown
      ? []
      : ([
          [keyOf('address', network), 250],
          [keyOf('program at an address', JSON.stringify([network, agent])), 50],
        ] as const);
    const taken = await Promise.allSettled([
      takeSlot(ofAccount, id, { most: isKnown ? Number.POSITIVE_INFINITY : 100, window: 60 * minute }),
      ...ofAddress.map(([key, most]) => takeSlot(key, id, { most, window: 5 * minute })),
      takeRight(right, id),
    ]);
    const wrong = [here, ofAccount, ...ofAddress.map(([key]) => key)];
    const refused = taken.find((result) => result.status === 'rejected');
    if (refused) {
      await returnSlots([...wrong, right], id);
      throw refused.reason;
    }
    const begun = attempt(id, wrong, right, () => remember(here));
    // Those who guess codes know the password, and may have many addresses.
    const countCode = async () => {
      if (isKnown) return;
      try {
        for (const [most, window] of [
          [10, 15 * minute],
          [50, 24 * 60 * minute],
        ] as const) {
          const key = `${ofAccount} codes in ${window}`;
          await takeSlot(key, id, { most, window });
          wrong.push(key);
        }
      } catch (error) {
        // As a wrong one, which takes none of the owner's logins.
        await begun.failed();
        throw error;
      }
    };
    return { ...begun, countCode: () => failClosed(countCode) };
  });
}

/**
 * Admits an attempt to confirm the password of someone who is signed in, or refuses it with 429. Each session has a
 * limit of its own, which nobody who guesses elsewhere can exhaust; named tokens, of which one makes as many as one
 * likes, share one.
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
  withdrawn: () => failClosed(async () => void (await Promise.all([returnSlots(wrong, id), settleSlots([right], id)]))),
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

const mostKnown = 90 * 24 * 60 * minute;

async function remember(key: string): Promise<void> {
  const until = { $add: ['$$NOW', mostKnown] };
  const change = { checked_at: '$$NOW', attempts: { $ifNull: ['$attempts', []] }, known_until: until, expires_at: until };
  await retryContended(() => loginLimits.updateOne({ _id: key }, [{ $set: change }], { upsert: true }));
}

// It begins with the key of the account, by which all of its keys are found.
const keyOfBoth = (account: string, address: string) =>
  `${keyOf('account', account)} ${keyOf('address', JSON.stringify([account, networkOf(address)]))}`;
