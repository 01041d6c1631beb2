import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type IndexDescription, ObjectId } from 'mongodb';
import { database, retryContended } from '../database/client.ts';
import { HttpError, serviceUnavailable, tooManyRequests } from '../errors.ts';
import { describeError, log } from '../log.ts';

/**
 * The failed logins of one account from one address, of one account, or of one address. Every attempt takes a place before its password is
 * looked at and gives it back when it was right: however many processes are asked at once, no more attempts are under way than may fail.
 */
type LimitDocument = {
  /** What is counted, hashed: what people type for a name is now and then their password. */
  _id: string;
  attempts: { id: ObjectId; at: Date; is_pending: boolean }[];
  checked_at: Date;
  /** Of an account and an address: until when a login from there counts as the owner's. */
  known_until?: Date;
  expires_at: Date;
};

export const loginLimitIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** An attempt that was let through; one of the two must follow. */
export type Attempt = { failed: () => Promise<void>; succeeded: () => Promise<void> };

/**
 * Lets an attempt to log in through, or refuses it with 429. `account` is the user's id, or the name that nobody has.
 *
 * The limit of an account over all addresses would let anyone lock its owner out. So it does not hold for an address from which
 * the account has been logged in to (or made) in the last 90 days: there only that address's own limits do.
 */
export function beginAttempt(account: string, address: string): Promise<Attempt> {
  return failClosed(async () => {
    const id = new ObjectId();
    const here = keyOfBoth(account, address);
    const others = { account: keyOf('account', account), address: keyOf('address', network(address)) };

    // The narrowest first: who is refused there takes no place from others.
    const { known_until, checked_at } = await take(here, id, { most: 5, window: 15 * minute });
    const isKnown = known_until !== undefined && known_until > checked_at;
    const taken = await Promise.allSettled([
      take(others.account, id, { most: isKnown ? Number.POSITIVE_INFINITY : 100, window: 60 * minute }),
      take(others.address, id, { most: 50, window: 5 * minute }),
    ]);
    const keys = [here, others.account, others.address];
    const refused = taken.find((result) => result.status === 'rejected');
    if (refused) {
      await giveBack(keys, id);
      throw refused.reason;
    }
    return {
      failed: () => failClosed(() => settle(keys, id)),
      succeeded: () => failClosed(async () => void (await Promise.all([giveBack(keys, id), remember(here)]))),
    };
  });
}

/** Notes that an address is one of the account's owner. */
export const rememberAddress = (account: string, address: string): Promise<void> => remember(keyOfBoth(account, address));

type Limit = { most: number; window: number };

const limits = database.collection<LimitDocument>('login_limits');
const minute = 60_000;
const known = 90 * 24 * 60 * minute;

// Longer than any request takes: a place that is pending for longer was taken by a process that died, and stays taken.
const longestAttempt = 10_000;

// How long one waits for attempts that are under way, which may yet prove right and give their places back.
const patience = 5_000;

async function take(key: string, id: ObjectId, limit: Limit): Promise<LimitDocument> {
  const patientUntil = performance.now() + patience;
  for (let pause = 50; ; pause = Math.min(2 * pause, 800)) {
    const state = await tryToTake(key, id, limit);
    if (state.attempts.some((attempt) => attempt.id.equals(id))) return state;
    if (performance.now() > patientUntil || !state.attempts.some(isUnderWay(state.checked_at))) {
      throw tooManyRequests(secondsUntilFree(state, limit));
    }
    await delay(pause * (0.5 + Math.random()));
  }
}

/** One atomic step by the database's clock: forgets what is older than the window, and adds the attempt if there is a place. */
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
    limits.findOneAndUpdate({ _id: key }, step, { upsert: true, returnDocument: 'after' }),
  );
  if (!state) throw new Error('An upsert gave nothing back');
  return state;
}

const isUnderWay = (now: Date) => (attempt: LimitDocument['attempts'][number]) =>
  attempt.is_pending && now.getTime() - attempt.at.getTime() < longestAttempt;

// More than `most` are there when the account's limit was not asked: then so many must go before there is a place.
function secondsUntilFree({ attempts, checked_at }: LimitDocument, { most, window }: Limit): number {
  const freeing = attempts.map(({ at }) => at.getTime()).sort((one, other) => one - other)[attempts.length - most];
  return Math.max(1, Math.ceil(((freeing ?? 0) + window - checked_at.getTime()) / 1000));
}

async function settle(keys: string[], id: ObjectId): Promise<void> {
  const change = { $set: { 'attempts.$[mine].is_pending': false } };
  await limits.updateMany({ _id: { $in: keys } }, change, { arrayFilters: [{ 'mine.id': id }] });
}

async function giveBack(keys: string[], id: ObjectId): Promise<void> {
  await limits.updateMany({ _id: { $in: keys } }, { $pull: { attempts: { id } } });
}

async function remember(key: string): Promise<void> {
  const until = { $add: ['$$NOW', known] };
  const change = { checked_at: '$$NOW', attempts: { $ifNull: ['$attempts', []] }, known_until: until, expires_at: until };
  await retryContended(() => limits.updateOne({ _id: key }, [{ $set: change }], { upsert: true }));
}

/** Whatever keeps the limits from being asked keeps everyone out: an attacker must not be able to switch them off. */
async function failClosed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    log('error', 'the limits of logins could not be asked', { error: describeError(error) });
    throw serviceUnavailable();
  }
}

const keyOfBoth = (account: string, address: string) => keyOf('both', JSON.stringify([account, network(address)]));

const keyOf = (kind: string, what: string) => `${kind} ${createHash('sha256').update(what).digest('base64')}`;

/** The address, or of an IPv6 address its first 64 bits: whoever has one has all that begin with them. */
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
