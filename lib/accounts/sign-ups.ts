import { toObjectId } from '../api/extended-json.ts';
import { about, flag, optional, type Values } from '../api/parameters.ts';
import { regardlessOfDeadline } from '../base/deadline.ts';
import { adminRequired, HttpError, permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import { countInvitedSignUp, countSignUp } from '../credentials/anonymous-limits.ts';
import { codeParameter } from '../credentials/codes.ts';
import { proofRequired } from '../credentials/fresh-sessions.ts';
import { newPassword } from '../credentials/password-policy.ts';
import { passwordRefusals, requirePasswords } from '../credentials/password-sign-in.ts';
import { email, newUsername } from '../identity/account-names.ts';
import { type Caller, isAdmin, requireAdmin, requireUnscopedToken } from '../identity/caller.ts';
import { fullName } from '../identity/persons.ts';
import { isReserved, usernameReserved } from '../identity/reserved-names.ts';
import { emailTaken, usernameTaken } from '../identity/taken-names.ts';
import { invitationCode, invitationRequired, noSuchInvitation } from '../members/invitations.ts';
import { joinInvited, returnInvitation, takeInvitation } from '../members/join.ts';
import { full } from '../members/join-rules.ts';
import { roomArchived } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';
import { type NewUser, signUp } from './accounts.ts';
import { confirmationRefusals, withConfirmedAddress } from './confirmed-addresses.ts';

/** The code that confirms a new address. */
export const addressCode = about('The code sent to the address, if `EMAIL_CONFIRMATION` requires one.', optional(codeParameter));

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

const registrationClosed: Refusal = () => permissionDenied('registration_closed', 'Registration is closed.');
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
/** Refuses, with 403, a sign-up by anyone but an administrator while registration is closed. */
export function requireRegistration(caller: Caller | undefined): void {
  if (isAdmin(caller)) return;
  requirePasswords();
  if (config.registration === 'closed') throw registrationClosed();
}

/** The origin of a request: the caller's address and program. */
export type Origin = { source: string; agent?: string | undefined };

/**
 * Creates an account for anyone. Administrators may use any name, and need neither an invitation
 * nor heed the limit.
 */
export async function signUpFor(
  { is_admin = false, invitation, code, ...account }: Values<typeof signUpParameters>,
  { source, agent }: Origin,
  caller: Caller | undefined,
): Promise<NewUser> {
  if (is_admin) requireFullAdmin(caller);
  if (!isAdmin(caller)) {
    if (invitation === undefined && config.registration === 'invited') throw invitationRequired();
    // Checked before the sign-up is counted, because the reserved names are public.
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

/** Counts a sign-up, or an attempt with a taken name. */
async function countedSignUp(create: () => Promise<NewUser>, source: string): Promise<NewUser> {
  const countTakenName = await countSignUp(source);
  return create().catch(async (error) => {
    const isTaken = error instanceof HttpError && error.body?.code === 'username_taken';
    if (isTaken) await regardlessOfDeadline(countTakenName).catch(() => undefined);
    throw error;
  });
}

// A caller who creates administrators, or sets others' passwords, can become anyone; who
// disconnects can end an administrator's rights. No token may gain more than its scopes in this
// way.
export function requireFullAdmin(caller: Caller | undefined): void {
  requireAdmin(caller);
  requireUnscopedToken(caller);
}
