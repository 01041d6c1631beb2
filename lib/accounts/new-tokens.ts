import { anyText, dateTime, id, optional, someOf, type Values } from '../api/parameters.ts';
import { scopes } from '../api/scopes.ts';
import { adminRequired, tooManyRequests } from '../errors.ts';
import { type Caller, requireAdmin, unscopedTokenRequired } from '../identity/caller.ts';
import type { NewToken } from '../identity/tokens.ts';
import { findUser, noSuchUser } from '../identity/users.ts';
import { createToken, tokenName, tokenNameTaken } from './api-tokens.ts';
import { requireCurrentPassword, wrongCurrentPassword } from './login.ts';

/** What a new token is created from; one without scopes needs `current_password`. Only administrators create tokens for other users. */
export const tokenParameters = {
  name: tokenName,
  scopes: optional(someOf(scopes)),
  expires_at: optional(dateTime),
  user: optional(id),
  current_password: optional(anyText),
};

export const tokenRefusals = [
  unscopedTokenRequired,
  adminRequired,
  wrongCurrentPassword,
  noSuchUser,
  tokenNameTaken,
  tooManyRequests,
];

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
