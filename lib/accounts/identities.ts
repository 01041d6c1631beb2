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

const notConnected: Refusal = () =>
  conflict('not_connected', 'No person at the identity provider is connected with the account.');
const noOtherWay: Refusal = () =>
  conflict('no_other_sign_in', 'The identity provider is the only way into the account: set a password or add a passkey first.');
const onlySignIn: Refusal = () =>
  conflict('only_sign_in', 'People sign in by the identity provider alone: deactivate or delete the account instead.');
export const disconnectionRefusals = [notConnected, noOtherWay, onlySignIn];

/**
 * Parts an account from the person at the identity provider who signs in to it, and ends its sessions; 409 where there
 * is none, or where nobody signs in otherwise. Its owner then signs in by a password, and can connect it again. As long
 * as it has the address that the provider gives, the person's next sign-in there is refused, and makes no other account.
 */
export function disconnectUser(_id: ObjectId, by: Caller): Promise<User> {
  const requirePasswords = async () => {
    if (!config.takesPasswords) throw onlySignIn();
  };
  return disconnect(_id, { check: requirePasswords, by });
}

/**
 * Parts the caller's account from the person at the identity provider, and ends its other sessions. It takes a session
 * that has just begun, and 409 if nothing else would let the caller in.
 */
export async function disconnectOwn(caller: Caller): Promise<User> {
  await requireFreshSession(caller);
  const requireOtherWay = async (user: UserDocument) => {
    if (!(await hasOtherWay(user))) throw noOtherWay();
  };
  return disconnect(caller.user._id, { check: requireOtherWay, by: caller, keep: caller.token._id });
}

/**
 * What groups gave ends as well, because no later sign-in would take it back: first, so that a process that dies leaves
 * nothing that nobody takes. 409 for the last administrator whom a group has made.
 */
async function disconnect(_id: ObjectId, { check, by, keep }: Disconnection): Promise<User> {
  // A sign-in in between may make an administrator again.
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

/** Refuses what may not be disconnected; who does it; and the session that stays. */
type Disconnection = { check: (user: UserDocument) => Promise<void>; by: Caller; keep?: ObjectId };

async function part(_id: ObjectId, condition: object, keep: ObjectId | undefined): Promise<User> {
  // Before, so that a process that dies leaves nothing that nobody takes; and after, for what a sign-in gave meanwhile.
  await leaveGroupRooms(_id);
  const parted = await users.findOneAndUpdate(
    { _id, ...condition },
    // A provider may have confirmed the address: another one is not to open the account by it, nor the same one again.
    { $unset: { identity: '', confirmed_email: '' }, $inc: { session_generation: 1 } },
    { returnDocument: 'after' },
  );
  if (!parted) throw notConnected();
  log('info', 'security', { event: 'identity disconnected', whom: _id.toHexString() });
  await endSessions(_id, parted.session_generation, keep);
  await leaveGroupRooms(_id);
  return shownUser.show(parted);
}

/** Whether an account can be signed in to without the identity provider. */
async function hasOtherWay({ _id, password_hash, passkey_generation: generation = 0 }: UserDocument): Promise<boolean> {
  if (!config.takesPasswords) return false;
  if (password_hash !== undefined) return true;
  return (
    config.passkeys.id !== undefined && (await passkeys.findOne({ user: _id, generation }, { projection: { _id: 1 } })) !== null
  );
}

/**
 * Forgets that a group has made an account an administrator which others have taken that from, or a process that died
 * after it: what the account had made as one may be left.
 */
async function forgetGroupAdministration(_id: ObjectId): Promise<void> {
  await forgetMadeBy(_id, 'others');
  await users.updateOne({ _id, is_admin: false }, { $unset: { 'identity.gave_admin': '' } });
}

/** Takes back, with a disconnection, that a group has made an account an administrator; 409 for the last one. */
const endAdministration = (user: UserDocument, by: Caller): Promise<UserDocument> =>
  endGroupAdministration(user, { ...byGroup(user, 'user.demoted'), details: { by: 'a disconnection' } }, byCaller(by));

/**
 * Takes back that a group has made an account an administrator, because its person has left the group or for another
 * reason; 409 for the last one. Returns the account as it is then.
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

/** An act that follows from the groups of a person at the identity provider. */
export const byGroup = ({ _id, username }: UserDocument, action: 'user.promoted' | 'user.demoted'): Act => ({
  action,
  target: { kind: 'user', id: _id, name: username },
  details: { by: 'a group of the identity provider' },
});
