import type { ObjectId } from 'mongodb';
import { about, dateTime, flag, optional, orNone, type Values } from '../api/parameters.ts';
import { adminRequired, invalidParameter, missingEvery, permissionDenied, type Refusal } from '../base/errors.ts';
import { hasPassword } from '../credentials/current-password.ts';
import { newPassword } from '../credentials/password-policy.ts';
import { email } from '../identity/account-names.ts';
import { accountIsBot } from '../identity/bot-rules.ts';
import { type Caller, requireAdmin } from '../identity/caller.ts';
import { fullName } from '../identity/persons.ts';
import { quietHours, requireHours } from '../identity/quiet-hours.ts';
import { status } from '../identity/statuses.ts';
import { emailTaken } from '../identity/taken-names.ts';
import type { User } from '../identity/users.ts';
import { ownProof, ownProofRefusals, requireOwnProof } from '../second-factor/proof.ts';
import { changeUser } from './accounts.ts';
import { confirmationRefusals, withConfirmedAddress } from './confirmed-addresses.ts';
import { deleteUser } from './deletion.ts';
import { disconnectionRefusals, disconnectOwn, disconnectUser } from './identities.ts';
import { lastAdminMustStay } from './last-admin.ts';
import { addressCode, requireFullAdmin } from './sign-ups.ts';

/**
 * The changes that can be made to an account. Users prove their identity for a new password or
 * address of their own.
 */
export const accountChanges = {
  name: optional(fullName),
  status: optional(status),
  quiet_until: about('The end of the pause of notifications; null ends it now.', optional(orNone(dateTime))),
  quiet_hours: optional(quietHours),
  hides_push_text: about('Whether notifications have only the sender and the room, without the text.', optional(flag)),
  email_digest: about('Whether the user gets e-mails about unread messages after a day away, at most one a day.', optional(flag)),
  shows_presence: about('Whether people in shared rooms see when the user is active.', optional(flag)),
  email: optional(email),
  code: addressCode,
  password: optional(newPassword),
  ...ownProof,
  keep_tokens: about('Whether the named tokens stay valid after the new password.', optional(flag)),
  is_admin: about('Whether the account is an administrator; only administrators may change it.', optional(flag)),
  is_active: about(
    'Whether the account can be used; only administrators may change it. `false` ends sessions and suspends tokens.',
    optional(flag),
  ),
  is_connected: about(
    'False disconnects the account from the identity provider; it must be the only change. For the own account, the session must be less than ten minutes old. Administrators can disconnect others.',
    optional(flag),
  ),
};

/** The parameters of the deletion of an account. */
export const accountDeletion = ownProof;

const currentPasswordRequired: Refusal = () => permissionDenied('current_password_required', 'The current password is required.');
export const changeRefusals = [
  adminRequired,
  ...ownProofRefusals,
  ...confirmationRefusals,
  emailTaken,
  accountIsBot,
  lastAdminMustStay,
  ...disconnectionRefusals,
];
export const deletionRefusals = [adminRequired, currentPasswordRequired, ...ownProofRefusals, lastAdminMustStay];

/**
 * Changes an account as far as the caller may. Users change their own password or address with
 * their current password; administrators change the state of any account. A new password ends every
 * other session and named token; `keep_tokens` keeps the named ones.
 */
export async function changeUserFor(
  id: ObjectId,
  { current_password, second_factor, keep_tokens: keepTokens, code, is_connected, ...changes }: Values<typeof accountChanges>,
  caller: Caller,
): Promise<User> {
  const { email, password, is_admin, is_active } = changes;
  const isOwn = id.equals(caller.user._id);
  // An e-mail address is a credential, because a new password can be requested with it.
  const isCredential = password !== undefined || email !== undefined;
  if (is_connected !== undefined) {
    if (is_connected || Object.keys(changes).length > 0) throw invalidParameter('is_connected', 'be false, and the only change');
    if (isOwn) return disconnectOwn(caller);
    requireFullAdmin(caller);
    return disconnectUser(id, caller);
  }
  if (Object.keys(changes).length === 0) throw missingEvery(['name', 'status', 'email', 'password', 'is_admin', 'is_active']);
  if (keepTokens !== undefined && password === undefined) throw invalidParameter('keep_tokens', "come with 'password'");
  if (changes.quiet_hours) requireHours(changes.quiet_hours);
  if (is_active !== undefined) requireAdmin(caller);
  if (is_admin !== undefined || (isCredential && !isOwn)) requireFullAdmin(caller);
  if (isCredential && isOwn) await requireOwnProof({ current_password, second_factor }, caller);
  const change = () => changeUser(id, changes, { token: isOwn ? caller.token._id : undefined, tokens: keepTokens });
  return email === undefined ? change() : withConfirmedAddress({ email, code }, caller, change);
}

/** Deletes an account: another's as an administrator, the own one with its password. */
export async function deleteUserFor(id: ObjectId, proof: Values<typeof accountDeletion>, caller: Caller): Promise<void> {
  if (!id.equals(caller.user._id)) requireAdmin(caller);
  else if (proof.current_password === undefined && (await hasPassword(caller))) throw currentPasswordRequired();
  else await requireOwnProof(proof, caller);
  await deleteUser(id);
}
