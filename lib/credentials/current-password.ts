import { about, anyText, optional } from '../api/parameters.ts';
import { missingParameter, permissionDenied, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import type { Caller } from '../identity/caller.ts';
import { requireFreshSession } from './fresh-sessions.ts';
import { beginConfirmation, endOnFailure } from './login-limits.ts';
import { verifyPassword } from './passwords.ts';

export const wrongCurrentPassword: Refusal = () =>
  permissionDenied('wrong_current_password', 'The current password is incorrect.');

/** The caller's password, for operations that require more than a token. */
export const currentPassword = about('The current password of the caller, as proof of identity.', optional(anyText));

/**
 * Requires that the caller knows the account's password; 403 otherwise. Attempts are limited as at
 * the login. For an account without a password, a recent sign-in is the proof.
 */
export async function confirmPassword(password: string, caller: Caller): Promise<void> {
  const {
    user: { _id },
    token,
  } = caller;
  const user = await users.findOne({ _id }, { projection: { password_hash: 1 } });
  if (user && user.password_hash === undefined) return requireFreshSession(caller);
  const attempt = await beginConfirmation(_id, token);
  const isRight = await endOnFailure(verifyPassword(password, user?.password_hash), attempt.unchecked);
  if (isRight) return attempt.succeeded();
  await attempt.failed();
  log('info', 'security', { event: 'wrong current password', by: _id.toHexString() });
  throw wrongCurrentPassword();
}

/**
 * Requires the caller's current password: 403 if it is wrong, 400 if it is missing. An account
 * without a password needs a recent sign-in instead.
 */
export async function requireCurrentPassword(password: string | undefined, caller: Caller): Promise<void> {
  if (password !== undefined) return confirmPassword(password, caller);
  if (await hasPassword(caller)) throw missingParameter('current_password');
  await requireFreshSession(caller);
}

/** Returns true if the caller's account has a password. */
export const hasPassword = async ({ user: { _id } }: Caller): Promise<boolean> =>
  (await users.findOne({ _id, password_hash: { $exists: true } }, { projection: { _id: 1 } })) !== null;
