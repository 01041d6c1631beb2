import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binary, Document, ObjectId } from 'mongodb';
import { isToken } from '../api/schema.ts';
import { describeError, log } from '../base/log.ts';
import { LruCache } from '../base/lru-cache.ts';
import { withoutSlot } from '../base/outside.ts';
import { activities } from '../collections/accounts/activities.ts';
import { type AppGrant, type TokenDocument, tokens } from '../collections/accounts/tokens.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { loader } from '../database/batching.ts';
import { retryContended } from '../database/engines.ts';
import { stateOf } from '../database/within-process.ts';
import { config } from '../settings/config.ts';
import type { Caller } from './caller.ts';
import { personReads } from './persons.ts';
import type { RatedAccount } from './write-rate.ts';

/**
 * The last row that was read for a token, its account, and the state of both collections before the
 * read. The account is the same object until some token or account changes.
 */
type KnownCaller = { row: CallerRow; account: Caller['user']; state: number };

/**
 * By the hashes of the tokens that were valid when they were last used here. Accounts that block
 * others weigh more.
 */
const cachedCallers = new LruCache<KnownCaller>(10_000, 20_000, ({ row: { users } }) => 1 + (users[0]?.blocked?.length ?? 0));

/**
 * The pauses before a session of an earlier generation is read again, in milliseconds. When the
 * sessions of an account end, the kept one joins the new generation a moment after the account.
 */
const longestJoinMs = 250;
const joinPausesMs = [10, 50, longestJoinMs];

/**
 * The state of both collections before the look-up of a token that was not valid, by its hash. A
 * request with such a token is looked up twice: for its share of the server, and for its answer.
 */
const rejectedTokens = new LruCache<number>(1_000);

/**
 * Finds the caller of a token; undefined if the token is not valid. It takes one query, or none if
 * the text cannot be a token or the caller is cached.
 */
export async function findCaller(token: string | undefined): Promise<Caller | undefined> {
  if (!isToken(token)) return undefined;
  const hash = hashToken(token);
  const recalled = recall(hash);
  if (recalled !== undefined) return recalled ?? undefined;
  let state = stateOf(tokens, users.unscoped);
  let row = await findRow(hash);
  for (const pauseMs of joinPausesMs) {
    if (!row || !isOfEarlierGeneration(row)) break;
    await withoutSlot(() => sleep(pauseMs));
    state = stateOf(tokens, users.unscoped);
    row = await findRow(hash);
  }
  const user = row?.users[0];
  if (!row || !user || !isValid(row, user, row.now)) {
    cachedCallers.delete(hash);
    rejectedTokens.set(hash, state);
    return undefined;
  }
  const account = accountOf(user);
  cachedCallers.set(hash, { row, account, state });
  noteUse(row, row.now);
  return callerOf(row, account, row.now);
}

/** The caller of a token, if it is known without a query. */
export const recallValidCaller = (token: string | undefined): Caller | undefined =>
  (isToken(token) && recall(hashToken(token))) || undefined;

/**
 * The caller of a cached token; null if the token has expired since or was rejected, undefined if
 * it must be looked up.
 */
function recall(hash: string): Caller | null | undefined {
  const last = cachedCallers.get(hash);
  // The state is the same only for a database within this process, which has the same clock.
  const state = stateOf(tokens, users.unscoped);
  if (rejectedTokens.get(hash) === state) return null;
  if (last === undefined || last.state !== state) return undefined;
  const { row, account } = last;
  const now = new Date();
  if (!isValid(row, row.users[0] as CallerRow['users'][number], now)) {
    cachedCallers.delete(hash);
    return null;
  }
  cachedCallers.touch(hash);
  noteUse(row, now);
  return callerOf(row, account, now);
}

/**
 * The callers of these tokens, by id, by the database's clock; tokens that are not valid are left
 * out. Sessions of an earlier generation are read again, because they may join the new one.
 */
export async function findCallersOf(ids: ObjectId[]): Promise<Map<string, { caller: Caller; now: Date }>> {
  let rows = await readRows({ _id: { $in: ids } });
  if (rows.some(isOfEarlierGeneration)) {
    await withoutSlot(() => sleep(longestJoinMs));
    rows = await readRows({ _id: { $in: ids } });
  }
  return new Map(
    rows.flatMap((row) => {
      const user = row.users[0];
      const caller = user && isValid(row, user, row.now) ? callerOf(row, accountOf(user), row.now) : undefined;
      // Work that is done later for a token never sets up a second factor, so its user must have
      // one by now.
      return caller && !caller.mustSetUpSecondFactor ? [[row._id.toHexString(), { caller, now: row.now }] as const] : [];
    }),
  );
}

const callerOf = ({ _id, kind, scopes, name, is_agent, by_passkey, app }: CallerRow, user: Caller['user'], at: Date): Caller => ({
  token: { _id, kind, scopes, ...(is_agent && { agent: name }), ...(app && { isOfApp: true as const }) },
  user,
  at,
  mustSetUpSecondFactor: kind === 'session' && !by_passkey && isSecondFactorRequired(user) && user.second_factor === undefined,
});

const accountOf = ({ session_generation: _, ...account }: CallerRow['users'][number]): Caller['user'] => account;

/**
 * The user of a token when this process last saw it. It is only a hint: never base an answer on it.
 */
export const recallCaller = (token: string | undefined): (RatedAccount & { owner?: ObjectId }) | undefined =>
  isToken(token) ? cachedCallers.get(hashToken(token))?.row.users[0] : undefined;

/**
 * True if an account must have a second factor. Named tokens continue without: their creator had
 * signed in fully.
 */
export const isSecondFactorRequired = ({ is_admin }: Pick<UserDocument, 'is_admin'>): boolean =>
  config.requireSecondFactor === 'all' || (config.requireSecondFactor === 'admins' && is_admin);

/** The SHA-256 of a token in hexadecimal, the key of its document. */
export function hashToken(token: string): string {
  // A request needs the same one several times.
  if (token !== lastHashed.token) lastHashed = { token, hash: hash('sha256', token, 'hex') };
  return lastHashed.hash;
}

let lastHashed = { token: '', hash: hash('sha256', '', 'hex') };

// A process that serves many requests concurrently looks up their tokens together.
const findRow = loader(async (hashes) => {
  const rows = await readRows({ hash: { $in: hashes.map((hash) => Buffer.from(hash, 'hex')) } });
  return new Map(rows.map((row) => [Buffer.from(row.hash.buffer).toString('hex'), row]));
});

const readRows = (wanted: Document): Promise<CallerRow[]> =>
  tokens
    .aggregate<CallerRow>([
      { $match: wanted },
      { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'users' } },
      {
        $project: {
          hash: 1,
          kind: 1,
          scopes: 1,
          name: 1,
          is_agent: 1,
          generation: 1,
          by_passkey: 1,
          'app.client_id': 1,
          expires_at: 1,
          access_expires_at: 1,
          last_used_at: 1,
          now: '$$NOW',
          'users._id': 1,
          ...personReads('users.'),
          'users.email': 1,
          'users.created_at': 1,
          'users.is_admin': 1,
          'users.is_active': 1,
          'users.blocked': 1,
          'users.owner': 1,
          'users.writes_per_second': 1,
          'users.quiet_until': 1,
          'users.quiet_hours': 1,
          'users.shows_presence': 1,
          'users.hides_push_text': 1,
          'users.email_digest': 1,
          'users.second_factor.since': 1,
          'users.identity.issuer': 1,
          'users.session_generation': 1,
        },
      },
    ])
    .toArray();

type CallerRow = Pick<
  TokenDocument,
  | '_id'
  | 'kind'
  | 'scopes'
  | 'name'
  | 'is_agent'
  | 'generation'
  | 'by_passkey'
  | 'expires_at'
  | 'last_used_at'
  | 'access_expires_at'
> & {
  hash: Binary;
  now: Date;
  app?: Pick<AppGrant, 'client_id'>;
  users: (Caller['user'] & Pick<UserDocument, 'session_generation'>)[];
};

function isValid(
  { kind, generation, expires_at, access_expires_at }: CallerRow,
  user: CallerRow['users'][number],
  now: Date,
): boolean {
  // The clock is the database's: a token ends everywhere at the same moment, whether or not the TTL
  // index has removed it.
  const isExpired = [expires_at, access_expires_at].some((end) => end && end <= now);
  return user.is_active && !isExpired && (kind === 'api' || generation === user.session_generation);
}

const isOfEarlierGeneration = ({ kind, generation = 0, users: [user] }: CallerRow): boolean =>
  kind === 'session' && user !== undefined && generation < user.session_generation;

/**
 * Records the use of a token, and that the user of a session was active, at most once an hour. The
 * request does not wait for it. If it fails, or Lambda freezes the process first, the next use of
 * the token tries again.
 */
function noteUse(row: CallerRow, now: Date): void {
  const { last_used_at } = row;
  const age = last_used_at === null ? Number.NaN : now.getTime() - last_used_at.getTime();
  if (!(age < hour && age > -minute)) void storeUse(row, now);
}

const minute = 60_000;
const hour = 60 * minute;

async function storeUse({ _id, kind, users: [user] }: CallerRow, now: Date): Promise<void> {
  const anHourAgo = new Date(now.getTime() - hour);
  const inAMinute = new Date(now.getTime() + minute);
  try {
    const notYetNoted = {
      _id,
      $or: [{ last_used_at: null }, { last_used_at: { $lte: anHourAgo } }, { last_used_at: { $gte: inAMinute } }],
    };
    // A session that started while the clock was ahead lasts no longer than any other.
    const longest = { $add: ['$$NOW', config.sessionDays * 86_400_000] };
    const expires_at = kind === 'session' && { expires_at: { $min: ['$expires_at', longest] } };
    const noting = tokens.updateOne(notYetNoted, [{ $set: { last_used_at: '$$NOW', ...expires_at } }]);
    await Promise.all([noting, kind === 'session' && user && noteActivity(user._id)]);
  } catch (error) {
    log('debug', 'the use of a token was not noted', { error: describeError(error) });
  }
}

/** Records the user's activity, also for after the session. */
const noteActivity = (user: ObjectId) =>
  retryContended(() => activities.updateOne({ _id: user }, [{ $set: { at: '$$NOW' } }], { upsert: true }));
