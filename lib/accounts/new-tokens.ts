import type { ObjectId } from 'mongodb';
import { toObjectId } from '../api/extended-json.ts';
import { about, dateTime, id, optional, someOf, type Values } from '../api/parameters.ts';
import { scopes } from '../api/scopes.ts';
import { tokens } from '../collections/tokens.ts';
import { config } from '../config.ts';
import { adminRequired, conflict, type Refusal, tooManyRequests } from '../errors.ts';
import { type Caller, requireAdmin, unscopedTokenRequired } from '../identity/caller.ts';
import { deleteToken, type NewToken } from '../identity/tokens.ts';
import { findUser, noSuchUser } from '../identity/users.ts';
import { createToken, tokenName, tokenNameTaken } from './api-tokens.ts';
import { currentPassword, requireCurrentPassword, wrongCurrentPassword } from './current-password.ts';
import { freshSignInRequired } from './fresh-sessions.ts';

/** The parameters of a new token. */
export const tokenParameters = {
  name: tokenName,
  scopes: about(
    'The permitted scopes; a token without any may do everything, and requires `current_password`.',
    optional(someOf(scopes)),
  ),
  expires_at: about('The time of expiry; without it, the token does not expire.', optional(dateTime)),
  user: about('The owner of the token, by default the caller; for administrators.', optional(id)),
  current_password: currentPassword,
};

const tooManyTokens: Refusal = () => conflict('too_many_tokens', 'The account has too many named tokens.');
export const tokenRefusals = [
  unscopedTokenRequired,
  adminRequired,
  wrongCurrentPassword,
  freshSignInRequired,
  noSuchUser,
  tokenNameTaken,
  tooManyTokens,
  tooManyRequests,
];

/**
 * Creates a named token for the caller or, as an administrator, for another user: 403 for others, 404 when there is
 * no such user. One that may do all that its user may would outlast a stolen session: it needs the caller's password.
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
  const created = await createToken(owner, name, { scopes, expiresAt });
  await requireFew(owner, created);
  return created;
}

// Counted when it exists: however many are created at the same time, no more than that stay.
async function requireFew(user: ObjectId, created: NewToken): Promise<void> {
  const { areOn, tokensPerUser: most } = config.limits;
  if (!areOn || (await tokens.countDocuments({ user, kind: 'api' }, { limit: most + 1 })) <= most) return;
  await deleteToken({ _id: toObjectId(created._id) });
  throw tooManyTokens();
}
