import type { ObjectId } from 'mongodb';
import { insertUser } from '../accounts/accounts.ts';
import {
  alreadyLinked,
  type CodeClaim,
  claimByAddress,
  claimByCode,
  codeClaimRefusals,
  identityTaken,
  isUnclaimedAddress,
} from '../accounts/claims.ts';
import { byGroup, endGroupAdministration } from '../accounts/identities.ts';
import { createdUser } from '../audit/acts.ts';
import { audited, byService } from '../audit/append.ts';
import { conflict, HttpError, permissionDenied, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { countInvitedSignUp } from '../credentials/anonymous-limits.ts';
import { duplicateIn } from '../database/failures.ts';
import { emailKeys } from '../identity/account-names.ts';
import { usernameTaken } from '../identity/taken-names.ts';
import { invitationRequired, noSuchInvitation } from '../members/invitations.ts';
import { joinInvited, returnInvitation, takeInvitation } from '../members/join.ts';
import { full } from '../members/join-rules.ts';
import { roomArchived } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';
import type { IdentityProvider } from '../settings/identity-providers.ts';
import { type Person, usernamesFor } from './people.ts';

/*
 * Only the issuer and the subject identify the account of a person at the provider. Users choose
 * their own names and addresses, at the provider too, so these never give access to an account.
 */

const addressMissing: Refusal = () =>
  permissionDenied('address_missing', 'The identity provider did not send a valid e-mail address.');
const addressUnconfirmed: Refusal = () =>
  permissionDenied('address_unconfirmed', 'The identity provider has not confirmed the e-mail address.');
const addressTaken: Refusal = () =>
  conflict('address_taken', 'Another account has this e-mail address: sign in to that, and connect it in the settings.');
const linkRequired: Refusal = () =>
  conflict('link_required', 'An imported account has this e-mail address: ask an administrator for the link that opens it.');
export const accountRefusals = [
  invitationRequired,
  noSuchInvitation,
  roomArchived,
  full,
  addressMissing,
  addressUnconfirmed,
  addressTaken,
  linkRequired,
  usernameTaken,
  ...codeClaimRefusals,
];

/** Only for the audit log: the sign-in itself continues. */
const accountChanged: Refusal = () => conflict('account_changed', 'The account has changed meanwhile.');

type Arrival = { invitation: string | undefined; source: string };

/** The account of a person at the provider. The first sign-in creates it. */
export async function findOrCreateAccount(
  person: Person,
  provider: IdentityProvider,
  arrival: Arrival,
): Promise<{ user: UserDocument; isNew: boolean }> {
  const known = (await findAccount(person)) ?? (await claimImported(person, provider)) ?? (await linkByEmail(person, provider));
  if (known) return { user: known, isNew: false };
  try {
    return { user: await createAccount(person, provider, arrival), isNew: true };
  } catch (error) {
    // The person signed in for the first time twice, concurrently.
    const made = duplicateIn(error) === 'identity' || error instanceof HttpError ? await findAccount(person) : undefined;
    if (!made) throw error;
    return { user: made, isNew: false };
  }
}

const findAccount = ({ issuer, subject }: Person): Promise<UserDocument | null> =>
  users.findOne({ 'identity.subject': subject, 'identity.issuer': issuer });

/**
 * Links a person, once, to the account with the same address. Both sides must have confirmed that
 * the owner reads its e-mail, and the operator must trust the provider's confirmations. Otherwise
 * an attacker could create an account with an unconfirmed address and wait for the address's owner.
 */
async function linkByEmail(
  { issuer, subject, email, isEmailVerified }: Person,
  { linksByEmail }: IdentityProvider,
): Promise<UserDocument | undefined> {
  if (!linksByEmail || email === undefined || !isEmailVerified) return undefined;
  // An account with a second factor is only linked by its owner.
  const isOpen = { is_active: true, is_bot: { $exists: false }, identity: { $exists: false }, second_factor: { $exists: false } };
  const linked = await users.findOneAndUpdate(
    { email_key: { $in: emailKeys(email) }, email, confirmed_email: email, ...isOpen },
    { $set: { identity: { issuer, subject } } },
    { returnDocument: 'after' },
  );
  if (linked) log('info', 'security', { event: 'identity linked by address', whom: linked._id.toHexString() });
  return linked ?? undefined;
}

/**
 * The person's imported account that nobody has used, found by the address that the provider has
 * confirmed.
 */
async function claimImported(
  { issuer, subject, email, isEmailVerified }: Person,
  { claimsImported }: IdentityProvider,
): Promise<UserDocument | undefined> {
  if (!claimsImported || email === undefined || !isEmailVerified) return undefined;
  return claimByAddress(email, { issuer, subject });
}

/** Links a person to the account of a code. */
export const claimWithCode = ({ issuer, subject }: Person, claim: CodeClaim): Promise<UserDocument> =>
  claimByCode(claim, { issuer, subject });

/**
 * Links a person to the account that started the sign-in. Fails if the account is linked already,
 * if its sessions have ended since, or if the person has another account.
 */
export async function linkAccount(
  { issuer, subject }: Person,
  { user, generation }: { user: ObjectId; generation: number },
): Promise<UserDocument> {
  try {
    const linked = await users.findOneAndUpdate(
      { _id: user, session_generation: generation, is_active: true, identity: { $exists: false } },
      { $set: { identity: { issuer, subject } } },
      { returnDocument: 'after' },
    );
    if (!linked) throw alreadyLinked();
    log('info', 'security', { event: 'identity linked', whom: user.toHexString() });
    return linked;
  } catch (error) {
    throw duplicateIn(error) === 'identity' ? identityTaken() : error;
  }
}

async function createAccount(
  person: Person,
  { signUp }: IdentityProvider,
  { invitation, source }: Arrival,
): Promise<UserDocument> {
  if (signUp === 'invited' && invitation === undefined) throw invitationRequired();
  if (person.email === undefined) throw addressMissing();
  if (config.emailConfirmation === 'required' && !person.isEmailVerified) throw addressUnconfirmed();
  if (invitation === undefined) return insertAccount(person, person.email);

  const { room, inviter } = await takeInvitation(invitation);
  const make = async (email: string) => {
    await countInvitedSignUp(inviter, source);
    return insertAccount(person, email);
  };
  const made = await make(person.email).catch(async (error) => {
    await returnInvitation(room, invitation);
    throw error;
  });
  await joinInvited(room, made._id);
  return made;
}

/** Stores the account under the first candidate username that is free. */
async function insertAccount(person: Person, email: string): Promise<UserDocument> {
  const { issuer, subject, name, isAdmin, isEmailVerified } = person;
  for (const username of usernamesFor(person)) {
    try {
      const insert = () =>
        insertUser({
          username,
          name,
          email,
          is_admin: isAdmin,
          identity: { issuer, subject, ...(isAdmin && { gave_admin: true }) },
          isConfirmed: isEmailVerified,
        });
      return await audited(isAdmin ? [createdUser(username, true)] : [], byService, insert);
    } catch (error) {
      if (isConflict(error, 'email_taken')) throw (await isUnclaimedAddress(email)) ? linkRequired() : addressTaken();
      if (!isConflict(error, 'username_taken')) throw error;
    }
  }
  throw usernameTaken();
}

const isConflict = (error: unknown, code: string) => error instanceof HttpError && error.body?.code === code;

/**
 * Makes an account an administrator if its person is in the provider's group for administrators.
 * Otherwise it removes rights that the group gave, except from the last administrator. Rights that
 * other administrators gave remain.
 */
export async function applyGroup(
  user: UserDocument,
  { isAdmin, issuer, subject }: Person,
  { adminGroup }: IdentityProvider,
): Promise<UserDocument> {
  const { _id, is_admin, identity } = user;
  if (adminGroup === '' || !user.is_active) return user;
  if (isAdmin && !is_admin) {
    const change = { $set: { is_admin: true, 'identity.gave_admin': true as const } };
    const where = { _id, is_active: true, is_admin: false, 'identity.subject': subject, 'identity.issuer': issuer };
    const promote = async () => {
      const promoted = await users.findOneAndUpdate(where, change, { returnDocument: 'after' });
      if (!promoted) throw accountChanged();
      return promoted;
    };
    try {
      const promoted = await audited([byGroup(user, 'user.promoted')], byService, promote);
      log('info', 'security', { event: 'made administrator by a group', whom: _id.toHexString() });
      return promoted;
    } catch (error) {
      if (!isConflict(error, 'account_changed')) throw error;
      return user;
    }
  }
  if (isAdmin || !is_admin || !identity?.gave_admin) return user;
  try {
    return await endGroupAdministration(user);
  } catch (error) {
    if (!isConflict(error, 'last_admin')) throw error;
    log('error', 'the last administrator has left the group of administrators, and stays one', { user: _id.toHexString() });
    return user;
  }
}
