import type { ObjectId } from 'mongodb';
import { tooManyRequests } from '../base/errors.ts';
import { type RateDocument, rateLimits } from '../collections/accounts/rate-limits.ts';
import { batchWritesByKey, fulfilled } from '../database/batching.ts';
import { retryContended } from '../database/engines.ts';
import { savedByTheNext } from '../database/within-process.ts';
import { config } from '../settings/config.ts';

/** An account, and its own write rate if it has one. */
export type RatedAccount = { _id: ObjectId; writes_per_second?: number };

/** The header fields with the rest of a rate (draft-ietf-httpapi-ratelimit-headers). */
export type RateFields = { RateLimit: string; 'RateLimit-Policy': string };

/**
 * Counts a message or a change of an account. Returns the rest of its rate, or refuses with 429.
 * Returns undefined if limits are off.
 *
 * A burst is possible immediately, and one more write after each interval. The state is one
 * document per account, changed in one atomic step by the database's clock, so the rate applies
 * across any number of processes. Concurrent writes in one process are counted together.
 */
export async function countWrite(account: RatedAccount): Promise<RateFields | undefined> {
  return config.limits.areOn ? count(account._id.toHexString(), rateOf(account)) : undefined;
}

/**
 * Counts a message of a webhook for the user who created it. The user's webhooks together may write
 * as much as a few accounts: otherwise each new one would raise the rate of the user.
 */
export async function countWebhookWrite(maker: RatedAccount): Promise<void> {
  if (!config.limits.areOn) return;
  const { perSecond, burst } = rateOf(maker);
  await count(webhooksOf(maker._id), { perSecond: accountsOfWebhooks * perSecond, burst: accountsOfWebhooks * burst });
}

/** All webhooks of a user together have the rate of so many accounts. */
const accountsOfWebhooks = 5;

const webhooksOf = (user: ObjectId) => `webhooks of ${user.toHexString()}`;

const rateOf = ({ writes_per_second: own }: RatedAccount) => ({
  perSecond: own ?? config.limits.writesPerSecond,
  burst: Math.max(config.limits.writeBurst, 5 * (own ?? 0)),
});

const count = (key: string, { perSecond, burst }: ReturnType<typeof rateOf>): Promise<RateFields> =>
  countTogether(key, { key, interval: 1_000 / perSecond, burst });

/** Deletes the rates of a deleted account. */
export const forgetRate = async (account: ObjectId): Promise<void> =>
  void (await rateLimits.deleteMany({ _id: { $in: [account.toHexString(), webhooksOf(account)] } }));

/** Times are in milliseconds. */
type Rate = { key: string; interval: number; burst: number };

const countTogether = batchWritesByKey<Rate, RateFields>(async (counted) => {
  const [rate] = counted as [Rate];
  const { granted, left, full } = await takeTokens(rate, counted.length);
  return counted.map((_, at) => {
    const after = Math.max(0, left + granted - 1 - at);
    const fields = {
      RateLimit: `"writes";r=${after};t=${Math.ceil(full / 1_000)}`,
      'RateLimit-Policy': `"writes";q=${rate.burst};w=${Math.ceil((rate.burst * rate.interval) / 1_000)}`,
    };
    if (at < granted) return fulfilled(fields);
    const next = full - (rate.burst - 1) * rate.interval;
    return { status: 'rejected', reason: tooManyRequests(Math.max(1, Math.ceil(next / 1_000)), fields) };
  });
});

/**
 * Takes as many of `wanted` as possible. `left` is the number that remains, `full` the milliseconds
 * until all are available.
 */
async function takeTokens(rate: Rate, wanted: number): Promise<{ granted: number; left: number; full: number }> {
  const most = rate.burst * rate.interval;
  for (let asked = wanted; ; ) {
    const { is_granted, free_at, checked_at } = await step(rate, asked);
    const full = free_at.getTime() - checked_at.getTime();
    const left = Math.floor((most - full) / rate.interval);
    if (is_granted) return { granted: asked, left, full };
    if (left < 1) return { granted: 0, left: 0, full };
    // Others may take some meanwhile, so try fewer each time.
    asked = Math.min(asked - 1, left);
  }
}

async function step({ key, interval, burst }: Rate, count: number): Promise<RateDocument> {
  const after = { $add: ['$free_at', Math.round(count * interval)] };
  const full = { $add: ['$$NOW', Math.round(burst * interval)] };
  const update = [
    // Limited to a full burst, so that a wrong clock locks nobody out for longer than that.
    { $set: { checked_at: '$$NOW', free_at: { $min: [{ $max: ['$free_at', '$$NOW'] }, full] }, expires_at: inAnHour() } },
    { $set: { is_granted: { $lte: [after, full] } } },
    { $set: { free_at: { $cond: ['$is_granted', after, '$free_at'] } } },
  ];
  const options = { upsert: true, returnDocument: 'after', ...savedByTheNext() } as const;
  const state = await retryContended(() => rateLimits.findOneAndUpdate({ _id: key }, update, options));
  if (!state) throw new Error('An upsert returned no document');
  return state;
}

// Rounded to a full hour, so that the index of this field changes once an hour and not with each
// write.
const inAnHour = () => new Date((Math.floor(Date.now() / 3_600_000) + 2) * 3_600_000);
