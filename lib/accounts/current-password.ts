import { about, anyText, optional } from '../api/parameters.ts';
import { users } from '../collections/users.ts';
import { missingParameter, permissionDenied, type Refusal } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { log } from '../log.ts';
import { beginConfirmation } from './login-limits.ts';
import { verifyPassword } from './passwords.ts';

export const wrongCurrentPassword: Refusal = () =>
  permissionDenied('wrong_current_password', 'The current password is incorrect.');

/** The password of the caller's account, where a token alone does not do. */
export const currentPassword = about('The current password of the caller, as proof of identity.', optional(anyText));

/** Requires that the caller knows the account's password as well: 403 if not. Guessing is as slow here as at the login. */
export async function confirmPassword(password: string, { user: { _id }, token }: Caller): Promise<void> {
  const user = await users.findOne({ _id }, { projection: { password_hash: 1 } });
  const attempt = await beginConfirmation(_id, token);
  if (await verifyPassword(password, user?.password_hash)) return attempt.succeeded();
  await attempt.failed();
  log('info', 'security', { event: 'wrong current password', by: _id.toHexString() });
  throw wrongCurrentPassword();
}

/** Requires the caller's current password: 400 without it, 403 when it is wrong. */
export async function requireCurrentPassword(password: string | undefined, caller: Caller): Promise<void> {
  if (password === undefined) throw missingParameter('current_password');
  await confirmPassword(password, caller);
}
