import type { ObjectId } from 'mongodb';
import { anyText, dateTime, id, optional, someOf, text, type Values } from '../api/parameters.ts';
import { type Scope, scopes } from '../api/scopes.ts';
import { tokens, unexpired } from '../collections/tokens.ts';
import { duplicateIn } from '../database/failures.ts';
import { serializeByKey } from '../database/writes.ts';
import { adminRequired, conflict, invalidParameter, notFound, type Refusal, tooManyRequests } from '../errors.ts';
import { type Caller, isAdmin, requireAdmin, unscopedTokenRequired } from '../identity/caller.ts';
import { deleteToken, insertToken, type NewToken, shownToken, type Token } from '../identity/tokens.ts';
import { findUser, noSuchUser } from '../identity/users.ts';
import { requireCurrentPassword, wrongCurrentPassword } from './login.ts';

/** A token's name, by which its user knows it. */
export const tokenName = text(1, 100);

/** What a new token is created from; one without scopes needs `current_password`. Only administrators create tokens for other users. */
export const tokenParameters = {
  name: tokenName,
  scopes: optional(someOf(scopes)),
  expires_at: optional(dateTime),
  user: optional(id),
  current_password: optional(anyText),
};

const noSuchToken: Refusal = () => notFound('token');
const nameTaken: Refusal = () => conflict('The name of the token is already in use.');
export const tokenRefusals = [unscopedTokenRequired, adminRequired, wrongCurrentPassword, noSuchUser, nameTaken, tooManyRequests];

/** Creates a named token; 409 when the user has one of that name. Its 32 characters can't be read again. */
export async function createToken(
  user: ObjectId,
  name: string,
  { scopes = [], expiresAt }: { scopes?: Scope[] | undefined; expiresAt?: Date | undefined } = {},
): Promise<NewToken> {
  if (expiresAt && expiresAt.getTime() <= Date.now()) throw invalidParameter('expires_at', 'be in the future');
  const token = { user, name, kind: 'api' as const, scopes };
  const insert = () => insertOnce(`${user.toHexString()} ${name}`, () => insertToken(token, expiresAt ?? null));
  try {
    return await insert();
  } catch (error) {
    if (duplicateIn(error) !== 'user, name') throw error;
    if (!(await dropExpired(user, name))) throw nameTaken();
    return await insert();
  }
}

const insertOnce = serializeByKey<NewToken>();

/**
 * Creates a named token for the caller or, as an administrator, for another user: 403 for others, 404 when there is no such user. One that may
 * do all that its user may would outlast a stolen session: it needs the caller's password.
 */
export async function createTokenFor(
  { user, name, scopes = [], expires_at: expiresAt, current_password: password }: Values<typeof tokenParameters>,
  caller: Caller,
): Promise<NewToken> {
  const owner = user ?? caller.user._id;
  if (!owner.equals(caller.user._id)) {
    requireAdmin(caller);
    await findUser(owner);
  }
  if (scopes.length === 0) await requireCurrentPassword(password, caller);
  return createToken(owner, name, { scopes, expiresAt });
}

/** The named token with this id, for its owner and administrators; 404 for everyone else. */
export async function findToken(id: ObjectId, caller: Caller): Promise<Token> {
  const token = await tokens.findOne({ ...reachable(id, caller), ...unexpired });
  if (!token) throw noSuchToken();
  return shownToken.show(token);
}

/** Revokes the named token with this id at once, for its owner and administrators; 404 for everyone else. */
export async function revokeToken(id: ObjectId, caller: Caller): Promise<void> {
  if (!(await deleteToken(reachable(id, caller)))) throw noSuchToken();
}

/** Revokes any token, whatever its kind and whoever's; 404 when it does not exist. */
export async function revokeAnyToken(id: ObjectId): Promise<Token> {
  const token = await tokens.findOneAndDelete({ _id: id });
  if (!token) throw noSuchToken();
  return shownToken.show(token);
}

/** Revokes every named token of a user but `keep`. */
export async function revokeTokens(user: ObjectId, keep: ObjectId | undefined): Promise<void> {
  await tokens.deleteMany({ user, kind: 'api', ...(keep && { _id: { $ne: keep } }) });
}

const reachable = (id: ObjectId, caller: Caller) => ({
  _id: id,
  kind: 'api' as const,
  ...(!isAdmin(caller) && { user: caller.user._id }),
});

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
