import type { ObjectId } from 'mongodb';
import { parseId } from '../api/extended-json.ts';
import { anyText, flag, optional } from '../api/parameters.ts';
import { config } from '../config.ts';
import { missingEvery, missingParameter, permissionDenied } from '../errors.ts';
import { actsAsAdmin, type Caller, refuseScopes } from '../identity/tokens.ts';
import { email, type User } from '../identity/users.ts';
import type { NewUser } from './accounts.ts';
import { type AccountChanges, changeUser, type NewAccount, signUp } from './accounts.ts';
import { deleteUser } from './deletion.ts';
import { confirmPassword } from './login.ts';
import { newPassword } from './password-policy.ts';

/** Who asks for a change, from where, and with which program. */
export type Asker = { caller: Caller; source: string };

/** What can be changed about an account; `current_password` is for one's own new one. */
export const accountChanges = {
  email: optional(email),
  password: optional(newPassword),
  current_password: optional(anyText),
  is_admin: optional(flag),
  is_active: optional(flag),
};

/** Refuses, with 403, a sign-up by anyone but an admin while registration is closed. */
export function refuseWhileClosed(caller: Caller | undefined): void {
  if (config.registration === 'closed' && !actsAsAdmin(caller)) throw permissionDenied('Registration is closed.');
}

/** Refuses, with 403, to let anyone but an admin change another's account. */
export function refuseOthers(path: string | undefined, caller: Caller | undefined): void {
  const id = parseId(path);
  if (id && !id.equals(caller?.user._id) && !actsAsAdmin(caller)) throw permissionDenied();
}

/** Makes an account for whoever asks; only admins make admins. */
export function signUpFor(
  caller: Caller | undefined,
  account: NewAccount,
  { source, agent }: { source: string; agent: string | undefined },
): Promise<NewUser> {
  if (account.is_admin) refuseAllButFullAdmins(caller);
  return signUp(account, source, agent);
}

/** Changes an account as far as the caller may: one's own password only with the one that it replaces, an account's state only as an admin. */
export async function changeUserFor(
  { caller, source }: Asker,
  id: ObjectId,
  { current_password, ...changes }: AccountChanges & { current_password?: string | undefined },
): Promise<User> {
  const { password, is_admin, is_active } = changes;
  const isOwn = id.equals(caller.user._id);
  if (Object.keys(changes).length === 0) throw missingEvery(['email', 'password', 'is_admin', 'is_active']);
  if (is_active !== undefined && !actsAsAdmin(caller)) throw permissionDenied();
  if (is_admin !== undefined || (password !== undefined && !isOwn)) refuseAllButFullAdmins(caller);
  if (password !== undefined && isOwn) {
    if (current_password === undefined) throw missingParameter('current_password');
    await confirmPassword(id, current_password, source);
  }
  return changeUser(id, changes, isOwn ? caller.token._id : undefined);
}

/** Deletes an account: anyone's for an admin, one's own with its password. */
export async function deleteUserFor({ caller, source }: Asker, id: ObjectId, currentPassword: string | undefined): Promise<void> {
  if (currentPassword !== undefined && id.equals(caller.user._id)) await confirmPassword(id, currentPassword, source);
  else if (!actsAsAdmin(caller)) throw permissionDenied('The current password is required.');
  await deleteUser(id);
}

// Who makes admins, or sets others' passwords, can become anyone: no token may come to more than its scopes by this.
function refuseAllButFullAdmins(caller: Caller | undefined): void {
  if (!actsAsAdmin(caller)) throw permissionDenied();
  refuseScopes(caller);
}
