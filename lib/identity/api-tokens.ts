import type { ObjectId } from 'mongodb';
import { about, nameText, requireFuture } from '../api/parameters.ts';
import type { Scope } from '../api/scopes.ts';
import { conflict, notFound, type Refusal } from '../base/errors.ts';
import { type TokenDocument, tokens, unexpired } from '../collections/accounts/tokens.ts';
import { users } from '../collections/accounts/users.ts';
import { serializeByKey } from '../database/engines.ts';
import { duplicateIn } from '../database/failures.ts';
import { type Caller, isAdmin } from './caller.ts';
import { deleteToken, deleteTokensOf, insertToken, type NewToken, shownToken, type Token } from './tokens.ts';
import { claimed } from './unclaimed.ts';

/** The name of a token, for its user. */
export const tokenName = about('The purpose of the token; unique among the tokens of the account.', nameText(1, 100));

const noSuchToken: Refusal = () => notFound('token');
export const tokenNameTaken: Refusal = () =>
  conflict('token_name_taken', 'The account has a token of this name already: revoke that one, or choose another name.');

/** Creates a named token; 409 if the user has one of that name. It cannot be read again. */
export async function createToken(
  user: ObjectId,
  name: string,
  { scopes = [], expiresAt, isAgent }: { scopes?: Scope[] | undefined; expiresAt?: Date | undefined; isAgent?: boolean } = {},
): Promise<NewToken> {
  requireFuture('expires_at', expiresAt);
  const token = { user, name, kind: 'api' as const, scopes, ...(isAgent && { is_agent: true as const }) };
  return insertNamed(token, { expires: expiresAt ?? null });
}

/** The ends of a token and of an app's access token, as expressions of the database's clock. */
type Ends = { expires: unknown; accessExpires?: unknown };

/** Stores a named token; 409 if the user has one of that name. */
export async function insertNamed(token: Parameters<typeof insertToken>[0], { expires, accessExpires }: Ends): Promise<NewToken> {
  const { user, name } = token;
  await users.updateOne({ _id: user, 'imported.is_unclaimed': true }, { $unset: claimed });
  const insert = () => insertOnce(`${user.toHexString()} ${name}`, () => insertToken(token, expires, accessExpires));
  try {
    return await insert();
  } catch (error) {
    if (duplicateIn(error) !== 'user, name') throw error;
    if (!(await dropExpired(user, name))) throw tokenNameTaken();
    return await insert();
  }
}

const insertOnce = serializeByKey<NewToken>();

/**
 * The named token with this id, for its owner, the owner of its bot, and administrators; 404 for
 * everyone else.
 */
export async function findToken(id: ObjectId, caller: Caller): Promise<Token> {
  const token = await tokens.findOne({ _id: id, kind: 'api', ...unexpired });
  if (!token || !(await mayManage(token, caller))) throw noSuchToken();
  return shownToken.show(token);
}

/** Revokes the named token with this id. 404 unless the caller may see it. */
export async function revokeToken(id: ObjectId, caller: Caller): Promise<void> {
  const token = await tokens.findOne({ _id: id, kind: 'api' }, { projection: { user: 1 } });
  if (!token || !(await mayManage(token, caller)) || !(await deleteToken({ _id: id, kind: 'api' }))) throw noSuchToken();
}

/** Revokes a token of any kind and of any user; 404 for an unknown id. */
export async function revokeAnyToken(id: ObjectId): Promise<Token> {
  const token = await tokens.findOneAndDelete({ _id: id });
  if (!token) throw noSuchToken();
  return shownToken.show(token);
}

/** Revokes every named token of a user but `keep`. */
export const revokeTokens = (user: ObjectId, keep: ObjectId | undefined): Promise<void> =>
  deleteTokensOf(user, { kind: 'api', ...(keep && { _id: { $ne: keep } }) });

/** Ends the access that apps have to an account by OAuth. */
export const endApps = (user: ObjectId): Promise<void> => deleteTokensOf(user, { kind: 'api', app: { $exists: true } });

/** True if a token belongs to the caller or a bot of the caller; administrators manage all. */
const mayManage = async ({ user }: Pick<TokenDocument, 'user'>, caller: Caller): Promise<boolean> =>
  isAdmin(caller) ||
  user.equals(caller.user._id) ||
  (await users.findOne({ _id: user, owner: caller.user._id }, { projection: { _id: 1 } })) !== null;

// An expired token keeps its name until the TTL index removes it, which can take a minute.
async function dropExpired(user: ObjectId, name: string): Promise<boolean> {
  const [holder] = await tokens
    .aggregate<{ _id: ObjectId; expires_at: Date | null; now: Date }>([
      { $match: { user, name, kind: 'api' } },
      { $project: { expires_at: 1, now: '$$NOW' } },
    ])
    .toArray();
  if (holder && (holder.expires_at === null || holder.expires_at > holder.now)) return false;
  if (holder) await deleteToken({ _id: holder._id });
  return true;
}
