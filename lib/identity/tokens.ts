import { hash, randomInt } from 'node:crypto';
import type { Binary, Filter, IndexDescription, ObjectId } from 'mongodb';
import { type DateTime, dateSchema, showDate, showDateOrNull } from '../api/dates.ts';
import { type Id, idSchema, showId } from '../api/extended-json.ts';
import type { Page } from '../api/pages.ts';
import { aText, aToken, aWord, listOf, orNull, record } from '../api/schema.ts';
import { inBatches } from '../database/batching.ts';
import { database, insertWithTimes } from '../database/client.ts';
import { permissionDenied } from '../errors.ts';
import type { Scope } from '../http/operation.ts';
import { scopes } from '../http/operation.ts';
import { describeError, log } from '../log.ts';
import type { UserDocument } from './users.ts';

/** A credential of a user; the 32 characters themselves are kept nowhere. */
export type TokenDocument = {
  _id: ObjectId;
  /** SHA-256 of the token. No salt: 165 bits of randomness can't be looked up in a table. */
  hash: Buffer;
  user: ObjectId;
  name: string;
  kind: 'session' | 'api';
  /** What it is confined to; empty: nothing. */
  scopes: Scope[];
  /** The last four characters, to tell tokens apart in a list. */
  hint: string;
  /** Of a session: it is over when its user's `session_generation` has gone past it. */
  generation?: number;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
};

/** A token as the API shows it. */
export type Token = {
  _id: Id;
  user: Id;
  name: string;
  kind: 'session' | 'api';
  scopes: Scope[];
  hint: string;
  created_at: DateTime;
  last_used_at: DateTime | null;
  expires_at: DateTime | null;
};

/** A token as it is shown to who made it, this once. */
export type NewToken = Token & { token: string };

const tokenFields = {
  _id: idSchema,
  user: idSchema,
  name: aText,
  kind: aWord<Token['kind']>('session', 'api'),
  scopes: listOf(aWord<Scope>(...scopes)),
  hint: aText,
  created_at: dateSchema,
  last_used_at: orNull(dateSchema),
  expires_at: orNull(dateSchema),
};
export const tokenSchema = record<Token>('Token', tokenFields);
export const newTokenSchema = record<NewToken>('NewToken', { ...tokenFields, token: aToken });

/** Who calls: the user of a valid token, and which token it was. */
export type Caller = {
  token: Pick<TokenDocument, '_id' | 'kind' | 'scopes'>;
  user: Pick<UserDocument, '_id' | 'username' | 'email' | 'is_admin' | 'is_active' | 'created_at'>;
};

export const tokenIndexes: IndexDescription[] = [
  { key: { hash: 1 }, name: 'hash', unique: true },
  { key: { user: 1 }, name: 'user' },
  { key: { user: 1, name: 1 }, name: 'user, name', unique: true, partialFilterExpression: { kind: 'api' } },
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
];

/** The tokens themselves, for the modules that hold the rules of sessions and of named tokens. */
export const tokens = database.collection<Omit<TokenDocument, '_id'>>('tokens');

/** The filter of the tokens that have not expired by the database's clock, whether or not the TTL index has swept them. */
export const unexpired = { $expr: { $or: [{ $eq: ['$expires_at', null] }, { $gt: ['$expires_at', '$$NOW'] }] } };

/** Whether a caller may do what only admins may, on things that are not the caller's own: a token with scopes needs `admin` among them. */
export const actsAsAdmin = (caller: Caller | undefined): boolean =>
  caller?.user.is_admin === true && (caller.token.scopes.length === 0 || caller.token.scopes.includes('admin'));

/** Refuses, with 403, a token with scopes: for what would give its bearer more than the scopes do. */
export function refuseScopes(caller: Caller | undefined): void {
  if (caller && caller.token.scopes.length > 0) throw permissionDenied('A token without scopes is required.');
}

/** Keeps a new token; `expires` is a time, an expression of the database's clock, or null. Its 32 characters can't be had again. */
export async function insertToken(
  token: Pick<TokenDocument, 'user' | 'name' | 'kind' | 'scopes' | 'generation'>,
  expires: unknown,
): Promise<NewToken> {
  const secret = randomToken();
  const document = { ...token, hash: Buffer.from(hashToken(secret), 'hex'), hint: secret.slice(-4), last_used_at: null };
  const stored = await insertWithTimes(tokens, document, { created_at: '$$NOW', expires_at: expires });
  return { ...showToken(stored), token: secret };
}

/** A page of a user's valid tokens of one kind by the order of their ids, and one more. */
export async function listTokens(filter: Pick<TokenDocument, 'user' | 'kind'>, { limit, after }: Page): Promise<Token[]> {
  const page = { ...filter, ...unexpired, ...(after && { _id: { $gt: after } }) };
  return (await tokens.find(page, { sort: { _id: 1 }, limit: limit + 1 }).toArray()).map(showToken);
}

/** Every valid token of a user, of either kind. */
export async function listAllTokens(user: ObjectId): Promise<Token[]> {
  return (await tokens.find({ user, ...unexpired }, { sort: { _id: 1 } }).toArray()).map(showToken);
}

/**
 * Deletes the one token that a filter with its `_id` is for; whether there was one. With `deleteMany`, because its use may be noted at the same
 * moment: MongoDB does not mind, but a `deleteOne` of engines that only speak like it may miss a document that is being changed.
 */
export const deleteToken = async (filter: Filter<Omit<TokenDocument, '_id'>> & { _id: ObjectId }): Promise<boolean> =>
  (await tokens.deleteMany(filter)).deletedCount > 0;

/** The token as the API shows it. */
export const showToken = (token: TokenDocument): Token => ({
  _id: showId(token._id),
  user: showId(token.user),
  name: token.name,
  kind: token.kind,
  scopes: token.scopes,
  hint: token.hint,
  created_at: showDate(token.created_at),
  last_used_at: showDateOrNull(token.last_used_at),
  expires_at: showDateOrNull(token.expires_at),
});

/** The caller that a token stands for, in one round trip, and none for what can't be a token; undefined when it is not valid (any more). */
export async function findCaller(token: string | undefined): Promise<Caller | undefined> {
  if (token === undefined || !tokenForm.test(token)) return undefined;
  const found = await findRow(hashToken(token));
  const user = found?.users[0];
  if (!found || !user || !isValid(found, user)) return undefined;
  const { _id, kind, scopes } = found;
  const { session_generation: _, ...account } = user;
  return { token: { _id, kind, scopes }, user: account };
}

// A process that serves many at once asks for their tokens together.
const findRow = inBatches(async (hashes) => {
  const rows = await tokens
    .aggregate<CallerRow>([
      { $match: { hash: { $in: hashes.map((hash) => Buffer.from(hash, 'hex')) } } },
      { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'users' } },
      {
        $project: {
          hash: 1,
          kind: 1,
          scopes: 1,
          generation: 1,
          expires_at: 1,
          last_used_at: 1,
          now: '$$NOW',
          'users._id': 1,
          'users.username': 1,
          'users.email': 1,
          'users.created_at': 1,
          'users.is_admin': 1,
          'users.is_active': 1,
          'users.session_generation': 1,
        },
      },
    ])
    .toArray();
  for (const row of rows) if (row.users[0] && isValid(row, row.users[0])) void noteUse(row);
  return new Map(rows.map((row) => [Buffer.from(row.hash.buffer).toString('hex'), row]));
});

type CallerRow = Pick<TokenDocument, '_id' | 'kind' | 'scopes' | 'generation' | 'expires_at' | 'last_used_at'> & {
  hash: Binary;
  now: Date;
  users: (Caller['user'] & Pick<UserDocument, 'session_generation'>)[];
};

function isValid({ kind, generation, expires_at, now }: CallerRow, user: CallerRow['users'][number]): boolean {
  // The clock is the database's: a token ends everywhere at once, whether or not the TTL index has swept it.
  const isOver = expires_at !== null && expires_at <= now;
  return user.is_active && !isOver && (kind === 'api' || generation === user.session_generation);
}

/**
 * Notes when the token was last used, at most once an hour. Nobody waits for it: it is sent beside the operation's own calls, which take as
 * long, and if it fails, or Lambda freezes the process before it is through, the token's next use tries again.
 */
async function noteUse({ _id, last_used_at, now }: CallerRow): Promise<void> {
  const anHourAgo = new Date(now.getTime() - 3_600_000);
  if (last_used_at && last_used_at > anHourAgo) return;
  try {
    const notYetNoted = { _id, $or: [{ last_used_at: null }, { last_used_at: { $lte: anHourAgo } }] };
    await tokens.updateOne(notYetNoted, { $currentDate: { last_used_at: true } });
  } catch (error) {
    log('debug', 'the use of a token was not noted', { error: describeError(error) });
  }
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const tokenForm = /^[a-z0-9]{32}$/;

/** 32 characters, all 36 equally likely: randomInt draws again instead of taking a remainder. */
export const randomToken = (): string => Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('');

const hashToken = (token: string) => hash('sha256', token, 'hex');
