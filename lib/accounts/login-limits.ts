import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { ObjectId } from 'mongodb';
import { type LimitDocument, loginLimits } from '../collections/login-limits.ts';
import { retryContended } from '../database/writes.ts';
import { attempt } from '../deadline.ts';
import { HttpError, serviceUnavailable, tooManyRequests } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { describeError, log } from '../log.ts';

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
    const others = { account: keyOf('account', account), address: keyOf('address', network(address)) };

    // The narrowest first: an attempt that is refused there takes no slot from others.
    const { known_until, checked_at } = await take(here, id, { most: 5, window: 15 * minute });
    const isKnown = known_until !== undefined && known_until > checked_at;
    const taken = await Promise.allSettled([
      take(others.account, id, { most: isKnown ? Number.POSITIVE_INFINITY : 100, window: 60 * minute }),
      take(others.address, id, { most: isKnown ? Number.POSITIVE_INFINITY : 50, window: 5 * minute }),
    ]);
    const keys = [here, others.account, others.address];
    const refused = taken.find((result) => result.status === 'rejected');
    if (refused) {
      await returnSlots(keys, id);
      throw refused.reason;
    }
    return {
      failed: () => failClosed(() => settle(keys, id)),
      succeeded: () => failClosed(async () => void (await Promise.all([returnSlots(keys, id), remember(here)]))),
    };
  });
}

/**
 * Admits an attempt to confirm the password of someone who is signed in, or refuses it with 429. Each session has a limit of its own, which
 * nobody who guesses elsewhere can exhaust; named tokens, of which one makes as many as one likes, share one.
 */
export function beginConfirmation(user: ObjectId, { _id, kind }: Caller['token']): Promise<Attempt> {
  return failClosed(async () => {
    const id = new ObjectId();
    const key = keyOf('confirmation', kind === 'session' ? _id.toHexString() : user.toHexString());
    await take(key, id, { most: 5, window: 15 * minute });
    return { failed: () => failClosed(() => settle([key], id)), succeeded: () => failClosed(() => returnSlots([key], id)) };
  });
}

/** Notes that an address is one of the account's owner's. */
export const rememberAddress = (account: string, address: string): Promise<void> => remember(keyOfBoth(account, address));

type Limit = { most: number; window: number };

const minute = 60_000;
const knownFor = 90 * 24 * 60 * minute;

// In milliseconds, longer than any request takes: a slot that is pending for longer was taken by a process that died, and stays taken.
const longestAttempt = 10_000;

// For how many milliseconds a login waits for attempts that are under way, which may yet succeed and return their slots.
const patience = 5_000;

async function take(key: string, id: ObjectId, limit: Limit): Promise<LimitDocument> {
  let state: LimitDocument | undefined;
  const exhausted = () => tooManyRequests(state && secondsUntilFree(state, limit));
  const pause = (count: number) => Math.min(25 * 2 ** count, 800) * (0.5 + Math.random());
  return attempt({ milliseconds: patience, pause, exhausted }, async () => {
    state = await tryToTake(key, id, limit);
    if (state.attempts.some((taken) => taken.id.equals(id))) return state;
    if (!state.attempts.some(isUnderWay(state.checked_at))) throw exhausted();
    return undefined;
  });
}

/** One atomic step by the database's clock: forgets what is older than the window, and adds the attempt if there is a free slot. */
async function tryToTake(key: string, id: ObjectId, { most, window }: Limit): Promise<LimitDocument> {
  const recent = { $gt: ['$$attempt.at', { $subtract: ['$$NOW', window] }] };
  const mine = { id, at: '$$NOW', is_pending: true };
  const step = [
    {
      $set: {
        checked_at: '$$NOW',
        expires_at: { $max: ['$known_until', { $add: ['$$NOW', window] }] },
        attempts: { $filter: { input: { $ifNull: ['$attempts', []] }, as: 'attempt', cond: recent } },
      },
    },
    {
      $set: {
        attempts: { $cond: [{ $lt: [{ $size: '$attempts' }, most] }, { $concatArrays: ['$attempts', [mine]] }, '$attempts'] },
      },
    },
  ];
  const state = await retryContended(() =>
    loginLimits.findOneAndUpdate({ _id: key }, step, { upsert: true, returnDocument: 'after' }),
  );
  if (!state) throw new Error('An upsert returned no document');
  return state;
}

const isUnderWay = (now: Date) => (attempt: LimitDocument['attempts'][number]) =>
  attempt.is_pending && now.getTime() - attempt.at.getTime() < longestAttempt;

// There may be more than `most` when the account's limit did not hold: then so many must end before a slot is free.
function secondsUntilFree({ attempts, checked_at }: LimitDocument, { most, window }: Limit): number {
  const freeing = attempts.map(({ at }) => at.getTime()).sort((one, other) => one - other)[attempts.length - most];
  return Math.max(1, Math.ceil(((freeing ?? 0) + window - checked_at.getTime()) / 1000));
}

async function settle(keys: string[], id: ObjectId): Promise<void> {
  const change = { $set: { 'attempts.$[mine].is_pending': false } };
  await loginLimits.updateMany({ _id: { $in: keys } }, change, { arrayFilters: [{ 'mine.id': id }] });
}

async function returnSlots(keys: string[], id: ObjectId): Promise<void> {
  await loginLimits.updateMany({ _id: { $in: keys } }, { $pull: { attempts: { id } } });
}

async function remember(key: string): Promise<void> {
  const until = { $add: ['$$NOW', knownFor] };
  const change = { checked_at: '$$NOW', attempts: { $ifNull: ['$attempts', []] }, known_until: until, expires_at: until };
  await retryContended(() => loginLimits.updateOne({ _id: key }, [{ $set: change }], { upsert: true }));
}

/** A failure to read the limits refuses everyone: an attacker must not be able to switch them off. */
async function failClosed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    log('error', 'the limits of logins could not be read', { error: describeError(error) });
    throw serviceUnavailable();
  }
}

const keyOfBoth = (account: string, address: string) => keyOf('both', JSON.stringify([account, network(address)]));

const keyOf = (kind: string, what: string) => `${kind} ${createHash('sha256').update(what).digest('base64')}`;

/** The address, or the first 64 bits of an IPv6 address: whoever has one has all addresses that begin with them. */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = '', tail = ''] = address.split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const missing = Math.max(0, 8 - groups(head).length - groups(tail).length);
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::`;
}
