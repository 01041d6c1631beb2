import { ObjectId } from 'mongodb';
import { loginLimits } from '../collections/accounts/login-limits.ts';
import { retryContended } from '../database/engines.ts';
import { inBatches } from '../database/writes.ts';
import type { Caller } from '../identity/caller.ts';
import { failClosed, keyOf, minute, networkOf, returnSlots, settleSlots, takeSlot } from '../identity/slots.ts';
import { config } from '../settings/config.ts';

/**
 * An admitted attempt with a password. The caller must call exactly one of the four: `withdrawn` if
 * the password was right but the login did not complete, `unchecked` if it was not checked.
 */
export type Attempt = Record<'failed' | 'succeeded' | 'withdrawn' | 'unchecked', () => Promise<void>>;

/**
 * An attempt to log in. `countCode` must be called before a code of the second factor is checked:
 * 429 after too many codes.
 */
export type LoginAttempt = Attempt & { countCode: () => Promise<void> };

/**
 * The origin of a login: its address and its program. `isFirstStep` if it lacks the code of the
 * account's second factor.
 */
type Origin = { source: string; agent: string | undefined; isFirstStep?: boolean };

/**
 * Admits an attempt to log in, or refuses it with 429. `account` is the user's id, or a name that
 * no user has.
 *
 * A limit of an account over all addresses would let anyone lock its owner out. A limit of an
 * address would lock out everyone who shares it. So both apply only to unknown addresses. An
 * address is known for 90 days after a login to the account, or its sign-up. From a known address,
 * only the limit of the account and the address together applies, and failures do not count against
 * others at the address.
 *
 * From unknown addresses, each program has a limit below that of the address, so that one of many
 * colleagues does not block the rest. A program that changes its name gets at most five times as
 * much.
 *
 * Wrong codes of a second factor are counted per account over all unknown addresses: 10 in 15
 * minutes and 50 a day. Codes are short, and an attacker who guesses them knows the password. A
 * year of guessing at this rate succeeds with a probability of 5 %. The owner can still log in from
 * a known address.
 */
export function beginLogin(account: string, { source: address, agent = '', isFirstStep = false }: Origin): Promise<LoginAttempt> {
  return failClosed(async () => {
    const id = new ObjectId();
    const here = keyOfBoth(account, address);
    const ofAccount = keyOf('account', account);
    // First steps must not use up the owner's logins: they prove the password only.
    const right = isFirstStep ? `${here} first step` : `${ofAccount} right`;

    // The narrowest limit first: a refused attempt then takes no slot of the others.
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
    const origin = ofAddress.map(([key]) => key);
    const wrong = [here, ofAccount, ...origin];
    const refused = taken.find((result) => result.status === 'rejected');
    if (refused) {
      await returnSlots([...wrong, right], id);
      throw refused.reason;
    }
    const begun = attempt(id, { wrong, right, origin }, () => remember(here));
    // Attackers who guess codes know the password, and may have many addresses.
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
        // Counts as a wrong code, which does not use up the owner's logins.
        await begun.failed();
        throw error;
      }
    };
    return { ...begun, countCode: () => failClosed(countCode) };
  });
}

/**
 * Admits an attempt of a signed-in user to confirm their password, or refuses it with 429. Each
 * session has its own limit, which guesses elsewhere cannot exhaust. Named tokens share one limit,
 * because a user can create any number of them.
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
    return attempt(id, { wrong: [key], right, origin: [] });
  });
}

/**
 * The keys of an attempt's slots. Those of `origin`, its address and program, are also in `wrong`.
 */
type Keys = { wrong: string[]; right: string; origin: string[] };

/** An attempt that holds slots. It keeps the slots of its outcome and returns the others. */
function attempt(id: ObjectId, { wrong, right, origin }: Keys, onSuccess = async () => {}): Attempt {
  const end = (kept: string[], more = async () => {}) =>
    failClosed(async () => {
      const others = [...wrong, right].filter((key) => !kept.includes(key));
      await Promise.all([settleSlots(kept, id), returnSlots(others, id), more()]);
    });
  return {
    failed: () => end(wrong),
    succeeded: () => end([right], onSuccess),
    withdrawn: () => end([right]),
    // The account's owner must not pay for somebody who sends more passwords than can be checked.
    unchecked: () => end(origin),
  };
}

/** Does a step of an attempt. If the step fails, ends the attempt with this outcome. */
export const endOnFailure = <T>(step: Promise<T>, outcome: () => Promise<void>): Promise<T> =>
  step.catch(async (error) => {
    await outcome();
    throw error;
  });

// Each check of a password is expensive, even of a right one. A login keeps its slot; a failed
// attempt returns it.
async function takeRight(key: string, id: ObjectId): Promise<void> {
  if (config.limits.areOn) await takeSlot(key, id, { most: config.limits.loginsPerMinute, window: minute });
}

/** Marks an address as known: it belongs to the account's owner. */
export const rememberAddress = (account: string, address: string): Promise<void> => remember(keyOfBoth(account, address));

/** Deletes the failed logins and the known addresses of an account. */
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

// It begins with the key of the account, so that a range query finds all keys of the account.
const keyOfBoth = (account: string, address: string) =>
  `${keyOf('account', account)} ${keyOf('address', JSON.stringify([account, networkOf(address)]))}`;
