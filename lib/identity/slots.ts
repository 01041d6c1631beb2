import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { ObjectId } from 'mongodb';
import { attempt } from '../base/deadline.ts';
import { HttpError, serviceUnavailable, tooManyRequests } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { type LimitDocument, loginLimits } from '../collections/accounts/login-limits.ts';
import { batchWritesByKey, fulfilled } from '../database/batching.ts';
import { retryContended } from '../database/engines.ts';

/**
 * The maximum number of slots in a window of so many milliseconds. With `isSettled`, a slot is kept
 * from the start.
 */
export type Limit = { most: number; window: number; isSettled?: true };

export const minute = 60_000;

// In milliseconds, longer than any request. A slot that is pending for longer belongs to a process
// that died, and is kept.
const longestAttempt = 10_000;

// How long a login waits for concurrent attempts, in milliseconds: they may succeed and return
// their slots.
const patience = 5_000;

/** Takes a slot, or refuses with 429 if all are taken and none may be returned soon. */
export async function takeSlot(key: string, id: ObjectId, limit: Limit): Promise<LimitDocument> {
  let state: LimitDocument | undefined;
  const exhausted = () => tooManyRequests(state && secondsUntilFree(state, limit));
  const pause = (count: number) => waitForSlot(key, Math.min(25 * 2 ** count, 800) * (0.5 + Math.random()));
  const since = performance.now();
  return attempt({ milliseconds: patience, pause, exhausted }, async () => {
    state = await takeTogether(key, { key, id, limit, since });
    if (state.attempts.some((taken) => taken.id.equals(id))) return state;
    if (!state.attempts.some(isUnderWay(state.checked_at))) throw exhausted();
    return undefined;
  });
}

/** An attempt that wants a slot, and when it began to wait. */
type Taker = { key: string; id: ObjectId; limit: Limit; since: number };

/**
 * The attempts of one process take their slots together, the longest waiting first. Otherwise they
 * would compete for the same document, and some would give up although they are within the limit.
 */
const takeTogether = batchWritesByKey<Taker, LimitDocument>(async (takers) => {
  const states = new Map<Taker, LimitDocument>();
  const inOrder = takers.toSorted((one, other) => one.since - other.since);
  // Attempts of an owner and of strangers have different limits of the same account.
  for (const some of Map.groupBy(inOrder, ({ limit }) => JSON.stringify([limit.most, limit.window])).values()) {
    const [{ key, limit }] = some as [Taker];
    const state = await tryToTake(
      key,
      limit,
      some.map(({ id }) => id),
    );
    for (const taker of some) states.set(taker, state);
  }
  return takers.map((taker) => fulfilled(states.get(taker) as LimitDocument));
});

/** Waits until this process returns a slot of a key, or for so many milliseconds. */
function waitForSlot(key: string, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const waiting = returned.get(key) ?? new Set();
    returned.set(key, waiting);
    const end = () => {
      clearTimeout(timer);
      waiting.delete(end);
      if (waiting.size === 0 && returned.get(key) === waiting) returned.delete(key);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    waiting.add(end);
  });
}

const returned = new Map<string, Set<() => void>>();

/**
 * One atomic step by the database's clock. It removes slots from before the window, and gives slots
 * to these attempts in order, as far as there is space.
 */
async function tryToTake(key: string, { most, window, isSettled }: Limit, ids: ObjectId[]): Promise<LimitDocument> {
  // A slot in the future, from a clock that was ahead, does not count longer than others.
  const recent = {
    $and: [{ $gt: ['$$attempt.at', { $add: ['$$NOW', -window] }] }, { $lt: ['$$attempt.at', { $add: ['$$NOW', minute] }] }],
  };
  const addIfFree = (id: ObjectId) => {
    const mine = { id, at: '$$NOW', is_pending: isSettled !== true };
    const all = { $concatArrays: ['$attempts', [mine]] };
    return { $set: { attempts: { $cond: [{ $lt: [{ $size: '$attempts' }, most] }, all, '$attempts'] } } };
  };
  const step = [
    {
      $set: {
        checked_at: '$$NOW',
        expires_at: { $max: ['$known_until', { $add: ['$$NOW', window] }] },
        attempts: { $filter: { input: { $ifNull: ['$attempts', []] }, as: 'attempt', cond: recent } },
      },
    },
    ...ids.map(addIfFree),
  ];
  const state = await retryContended(() =>
    loginLimits.findOneAndUpdate({ _id: key }, step, { upsert: true, returnDocument: 'after' }),
  );
  if (!state) throw new Error('An upsert returned no document');
  return state;
}

const isUnderWay = (now: Date) => (attempt: LimitDocument['attempts'][number]) =>
  attempt.is_pending && now.getTime() - attempt.at.getTime() < longestAttempt;

// There may be more than `most` slots, taken under a higher limit. Then as many must expire before
// a slot is free.
function secondsUntilFree({ attempts, checked_at }: LimitDocument, { most, window }: Limit): number {
  const freeing = attempts.map(({ at }) => at.getTime()).sort((one, other) => one - other)[attempts.length - most];
  return Math.max(1, Math.ceil(((freeing ?? 0) + window - checked_at.getTime()) / 1000));
}

/** Keeps slots, because their attempts have failed. */
export async function settleSlots(keys: string[], id: ObjectId): Promise<void> {
  const change = { $set: { 'attempts.$[mine].is_pending': false } };
  await loginLimits.updateMany({ _id: { $in: keys } }, change, { arrayFilters: [{ 'mine.id': id }] });
  wake(keys);
}

/** Returns slots, because their attempts do not count. */
export async function returnSlots(keys: readonly string[], id: ObjectId): Promise<void> {
  await loginLimits.updateMany({ _id: { $in: keys } }, { $pull: { attempts: { id } } });
  wake(keys);
}

/** Lets waiting attempts try again: they get a slot, or are refused. */
function wake(keys: readonly string[]): void {
  for (const key of keys) for (const end of returned.get(key) ?? []) end();
}

/** Refuses everybody if the limits cannot be read: an attacker must not be able to disable them. */
export async function failClosed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    log('error', 'the limits of logins could not be read', { error: describeError(error) });
    throw serviceUnavailable();
  }
}

/** The key of a counter. It contains only a hash of the counted thing. */
export const keyOf = (kind: string, what: string) => `${kind} ${createHash('sha256').update(what).digest('base64')}`;

/** The prefixes of IPv6 addresses that contain an IPv4 address: mapped, and translated by NAT64. */
const prefixesOfIPv4 = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/**
 * The IPv4 address, or the first 64 bits of an IPv6 address. A host with one IPv6 address usually
 * has all addresses with the same 64 bits.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const toGroups = (_: string, ...[a, b, c, d]: string[]) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':');
  const [head = '', tail = ''] = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)/, toGroups).split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const missing = Math.max(0, 8 - groups(head).length - groups(tail).length);
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)].map((group) => Number.parseInt(group, 16));
  const first = (count: number) =>
    all
      .slice(0, count)
      .map((group) => group.toString(16))
      .join(':');
  if (!prefixesOfIPv4.includes(first(6))) return `${first(4)}::`;
  return all
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}
