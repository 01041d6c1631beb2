import type { ObjectId } from 'mongodb';
import { text } from '../api/parameters.ts';
import { duplicateIn, oneByOne } from '../database/client.ts';
import { conflict, invalidParameter, notFound, permissionDenied } from '../errors.ts';
import type { Scope } from '../http/operation.ts';
import {
  actsAsAdmin,
  type Caller,
  deleteToken,
  insertToken,
  type NewToken,
  showToken,
  type Token,
  tokens,
  unexpired,
} from '../identity/tokens.ts';
import { findUser } from '../identity/users.ts';

/** A token's name, by which its user knows it. */
export const tokenName = text(1, 100);

/** Makes a named token; 409 when the user has one of that name. Its 32 characters can't be had again. */
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
    if (!(await dropExpired(user, name))) throw conflict('The name of the token is already in use.');
    return await insert();
  }
}

const insertOnce = oneByOne<NewToken>();

/** Makes a named token for the caller or, if the caller is an admin, for another user: 403 for others, 404 when there is no such user. */
export async function createTokenFor(
  caller: Caller,
  {
    user,
    name,
    scopes,
    expires_at: expiresAt,
  }: { user?: ObjectId | undefined; name: string; scopes?: Scope[] | undefined; expires_at?: Date | undefined },
): Promise<NewToken> {
  const owner = user ?? caller.user._id;
  if (!owner.equals(caller.user._id)) {
    if (!actsAsAdmin(caller)) throw permissionDenied();
    await findUser(owner);
  }
  return createToken(owner, name, { scopes, expiresAt });
}

/** The named token with this id, for its owner and admins; 404 for everyone else. */
export async function findToken(id: ObjectId, caller: Caller): Promise<Token> {
  const token = await tokens.findOne({ ...reachable(id, caller), ...unexpired });
  if (!token) throw notFound('token');
  return showToken(token);
}

/** Ends the named token with this id at once, for its owner and admins; 404 for everyone else. */
export async function revokeToken(id: ObjectId, caller: Caller): Promise<void> {
  if (!(await deleteToken(reachable(id, caller)))) throw notFound('token');
}

/** Ends any token, whatever its kind and whoever's; 404 when there is none. */
export async function revokeAnyToken(id: ObjectId): Promise<Token> {
  const token = await tokens.findOneAndDelete({ _id: id });
  if (!token) throw notFound('token');
  return showToken(token);
}

const reachable = (id: ObjectId, caller: Caller) => ({
  _id: id,
  kind: 'api' as const,
  ...(!actsAsAdmin(caller) && { user: caller.user._id }),
});

// An expired token keeps its name until the TTL index sweeps it, which can take a minute.
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
