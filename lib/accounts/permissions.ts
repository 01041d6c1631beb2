import type { ObjectId } from 'mongodb';
import { toObjectId } from '../api/extended-json.ts';
import { about, dateTime, flag, optional, orNone, type Values } from '../api/parameters.ts';
import { regardlessOfDeadline } from '../base/deadline.ts';
import {
  adminRequired,
  HttpError,
  invalidParameter,
  missingEvery,
  permissionDenied,
  type Refusal,
  tooManyRequests,
} from '../base/errors.ts';
import { countInvitedSignUp, countSignUp } from '../credentials/anonymous-limits.ts';
import { codeParameter } from '../credentials/codes.ts';
import { hasPassword } from '../credentials/current-password.ts';
import { proofRequired } from '../credentials/fresh-sessions.ts';
import { newPassword } from '../credentials/password-policy.ts';
import { passwordRefusals, requirePasswords } from '../credentials/password-sign-in.ts';
import { accountIsBot } from '../identity/bot-rules.ts';
import { type Caller, isAdmin, requireAdmin, requireUnscopedToken } from '../identity/caller.ts';
import { fullName } from '../identity/persons.ts';
import { quietHours, requireHours } from '../identity/quiet-hours.ts';
import { isReserved, usernameReserved } from '../identity/reserved-names.ts';
import { status } from '../identity/statuses.ts';
import { emailTaken, usernameTaken } from '../identity/taken-names.ts';
import { email, newUsername, type User } from '../identity/users.ts';
import { invitationCode, invitationRequired, noSuchInvitation } from '../members/invitations.ts';
import { full, joinInvited, returnInvitation, takeInvitation } from '../members/join.ts';
import { roomArchived } from '../rooms/permissions.ts';
import { ownProof, ownProofRefusals, requireOwnProof } from '../second-factor/proof.ts';
import { config } from '../settings/config.ts';
import { changeUser, type NewUser, signUp } from './accounts.ts';
import { confirmationRefusals, withConfirmedAddress } from './confirmed-addresses.ts';
import { deleteUser } from './deletion.ts';
import { disconnectionRefusals, disconnectOwn, disconnectUser } from './identities.ts';
import { lastAdminMustStay } from './last-admin.ts';

const addressCode = about('The code sent to the address, if `EMAIL_CONFIRMATION` requires one.', optional(codeParameter));

/** The parameters of a sign-up. */
export const signUpParameters = {
  username: newUsername,
  name: optional(fullName),
  email,
  password: newPassword,
  is_admin: about('Whether the account is an administrator; only administrators may create one.', optional(flag)),
  invitation: about('The code of an invitation to a room, which the account joins.', optional(invitationCode)),
  code: addressCode,
};

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

const registrationClosed: Refusal = () => permissionDenied('registration_closed', 'Registration is closed.');
const currentPasswordRequired: Refusal = () => permissionDenied('current_password_required', 'The current password is required.');
export const signUpRefusals = [
  ...passwordRefusals,
  registrationClosed,
  adminRequired,
  proofRequired,
  invitationRequired,
  noSuchInvitation,
  ...confirmationRefusals,
  usernameReserved,
  usernameTaken,
  emailTaken,
  roomArchived,
  full,
  tooManyRequests,
];
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

/** Refuses, with 403, a sign-up by anyone but an administrator while registration is closed. */
export function requireRegistration(caller: Caller | undefined): void {
  if (isAdmin(caller)) return;
  requirePasswords();
  if (config.registration === 'closed') throw registrationClosed();
}

/** Where a request comes from: the caller's address and program. */
export type Origin = { source: string; agent?: string | undefined };

/**
 * Creates an account for anyone who asks. Administrators may give it any name, and create as many as they like
 * without an invitation.
 */
export async function signUpFor(
  { is_admin = false, invitation, code, ...account }: Values<typeof signUpParameters>,
  { source, agent }: Origin,
  caller: Caller | undefined,
): Promise<NewUser> {
  if (is_admin) requireFullAdmin(caller);
  if (!isAdmin(caller)) {
    if (invitation === undefined && config.registration === 'invited') throw invitationRequired();
    // Before it counts: which names are reserved is no secret.
    if (isReserved(account.username)) throw usernameReserved();
  }
  const create = () =>
    withConfirmedAddress({ email: account.email, code }, caller, () => signUp({ ...account, is_admin }, source, agent));
  if (invitation === undefined) return isAdmin(caller) ? create() : countedSignUp(create, source);

  const { room, inviter } = await takeInvitation(invitation);
  const createInvited = async () => {
    if (!isAdmin(caller)) await countInvitedSignUp(inviter, source);
    return create();
  };
  const created = await createInvited().catch(async (error) => {
    await returnInvitation(room, invitation);
    throw error;
  });
  await joinInvited(room, toObjectId(created.user._id));
  return created;
}

/** Counts a sign-up of anyone, otherwise where somebody else has the name. */
async function countedSignUp(create: () => Promise<NewUser>, source: string): Promise<NewUser> {
  const countTakenName = await countSignUp(source);
  return create().catch(async (error) => {
    const isTaken = error instanceof HttpError && error.body?.code === 'username_taken';
    if (isTaken) await regardlessOfDeadline(countTakenName).catch(() => undefined);
    throw error;
  });
}

/**
 * Changes an account as far as the caller may: one's own password or address with the current password, an account's
 * state as an administrator. A new password ends every other session and named token; `keep_tokens` keeps the named
 * ones.
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

// A caller who creates administrators, or sets others' passwords, can become anyone; who disconnects can end an
// administrator's rights. No token may gain more than its scopes in this way.
function requireFullAdmin(caller: Caller | undefined): void {
  requireAdmin(caller);
  requireUnscopedToken(caller);
}
