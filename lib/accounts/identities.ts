import type { ObjectId } from 'mongodb';
import { type Act, audited, byCaller, byService } from '../audit/append.ts';
import { attempt } from '../base/deadline.ts';
import { conflict, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { passkeys } from '../collections/accounts/passkeys.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { requireFreshSession } from '../credentials/fresh-sessions.ts';
import { endSessions } from '../credentials/sessions.ts';
import type { Caller } from '../identity/caller.ts';
import { noSuchUser, shownUser, type User } from '../identity/users.ts';
import { leaveGroupRooms } from '../members/group-rooms.ts';
import { forgetMadeBy } from '../members/made.ts';
import { config } from '../settings/config.ts';
import { changeUser } from './accounts.ts';

const notConnected: Refusal = () => conflict('not_connected', 'The account is not connected to an identity provider.');
const noOtherWay: Refusal = () =>
  conflict('no_other_sign_in', 'The identity provider is the only way into the account: set a password or add a passkey first.');
const onlySignIn: Refusal = () =>
  conflict('only_sign_in', 'Only the identity provider signs people in: deactivate or delete the account instead.');
export const disconnectionRefusals = [notConnected, noOtherWay, onlySignIn];

/**
 * Disconnects an account from its identity at the provider, and ends its sessions. The owner can
 * then sign in with a password and connect again. Until the address changes, a sign-in with that
 * identity is refused and does not create an account.
 *
 * 409 if the account is not connected, or if the service does not use passwords.
 */
export function disconnectUser(_id: ObjectId, by: Caller): Promise<User> {
  const requirePasswords = async () => {
    if (!config.takesPasswords) throw onlySignIn();
  };
  return disconnect(_id, { check: requirePasswords, by });
}

/**
 * Disconnects the caller's account from its identity at the provider, and ends its other sessions.
 * It requires a recent sign-in. 409 if the account would lack a way to sign in.
 */
export async function disconnectOwn(caller: Caller): Promise<User> {
  await requireFreshSession(caller);
  const requireOtherWay = async (user: UserDocument) => {
    if (!(await hasOtherWay(user))) throw noOtherWay();
  };
  return disconnect(caller.user._id, { check: requireOtherWay, by: caller, keep: caller.token._id });
}

/**
 * Disconnects an account, and first takes back the rights that groups gave it: no later sign-in
 * would do that. In this order, a process that dies leaves no rights behind. 409 for the last
 * administrator, if a group appointed them.
 */
async function disconnect(_id: ObjectId, { check, by, keep }: Disconnection): Promise<User> {
  // A concurrent sign-in may appoint the administrator again.
  return attempt({ times: 5 }, async () => {
    const user = await users.findOne({ _id });
    if (!user) throw noSuchUser();
    if (!user.identity) throw notConnected();
    await check(user);
    if (user.identity.gave_admin) await (user.is_admin ? endAdministration(user, by) : forgetGroupAdministration(_id));
    const { issuer, subject } = user.identity;
    const isSame = { 'identity.subject': subject, 'identity.issuer': issuer, 'identity.gave_admin': { $exists: false } };
    return part(_id, isSame, keep).catch(async (error) => {
      if (await users.findOne({ _id, identity: { $exists: true } }, { projection: { _id: 1 } })) return undefined;
      throw error;
    });
  });
}

/** `check` throws if the account must not be disconnected; `keep` is the session that stays. */
type Disconnection = { check: (user: UserDocument) => Promise<void>; by: Caller; keep?: ObjectId };

async function part(_id: ObjectId, condition: object, keep: ObjectId | undefined): Promise<User> {
  // Before the change, so that a process that dies leaves no rights behind. After it again, because
  // a concurrent sign-in may have joined rooms.
  await leaveGroupRooms(_id);
  const parted = await users.findOneAndUpdate(
    { _id, ...condition },
    // The provider may have confirmed the address, so it must not open the account to any identity.
    { $unset: { identity: '', confirmed_email: '' }, $inc: { session_generation: 1 } },
    { returnDocument: 'after' },
  );
  if (!parted) throw notConnected();
  log('info', 'security', { event: 'identity disconnected', whom: _id.toHexString() });
  await endSessions(_id, parted.session_generation, keep);
  await leaveGroupRooms(_id);
  return shownUser.show(parted);
}

/** Returns true if the owner can sign in without the identity provider. */
async function hasOtherWay({ _id, password_hash, passkey_generation: generation = 0 }: UserDocument): Promise<boolean> {
  if (!config.takesPasswords) return false;
  if (password_hash !== undefined) return true;
  return (
    config.passkeys.id !== undefined && (await passkeys.findOne({ user: _id, generation }, { projection: { _id: 1 } })) !== null
  );
}

/**
 * Removes the mark of an administrator whom a group appointed and who no longer is one. The
 * demotion may be another administrator's, or that of a process that died before it removed the
 * mark. Invitations and webhooks that the account created as an administrator may be left, so they
 * are deleted first.
 */
async function forgetGroupAdministration(_id: ObjectId): Promise<void> {
  await forgetMadeBy(_id, 'others');
  await users.updateOne({ _id, is_admin: false }, { $unset: { 'identity.gave_admin': '' } });
}

/** Demotes, on a disconnection, an administrator whom a group appointed; 409 for the last one. */
const endAdministration = (user: UserDocument, by: Caller): Promise<UserDocument> =>
  endGroupAdministration(user, { ...byGroup(user, 'user.demoted'), details: { by: 'a disconnection' } }, byCaller(by));

/**
 * Demotes an administrator whom a group appointed, for example after they left the group; 409 for
 * the last one. Returns the changed account.
 */
export async function endGroupAdministration(
  user: UserDocument,
  act = byGroup(user, 'user.demoted'),
  by = byService,
): Promise<UserDocument> {
  const { _id } = user;
  await audited([act], by, () => changeUser(_id, { is_admin: false }));
  log('info', 'security', { event: 'no longer administrator by a group', whom: _id.toHexString() });
  const left = await users.findOneAndUpdate({ _id }, { $unset: { 'identity.gave_admin': '' } }, { returnDocument: 'after' });
  return left ?? user;
}

/**
 * The audited act of a promotion or demotion that follows from a group of the identity provider.
 */
export const byGroup = ({ _id, username }: UserDocument, action: 'user.promoted' | 'user.demoted'): Act => ({
  action,
  target: { kind: 'user', id: _id, name: username },
  details: { by: 'a group of the identity provider' },
});
