import type { QuietHours } from 'chat-service-rules/quiet-hours';
import type { ObjectId, UpdateFilter, WithId } from 'mongodb';
import { described, record, type Shown } from '../api/schema.ts';
import { regardlessOfDeadline } from '../base/deadline.ts';
import { type IdentityDocument, type StatusDocument, type UserDocument, users } from '../collections/accounts/users.ts';
import { forgetCodesOf } from '../credentials/codes.ts';
import { rememberAddress } from '../credentials/login-limits.ts';
import { hashPassword } from '../credentials/passwords.ts';
import { createSession, endSessions, type WithToken } from '../credentials/sessions.ts';
import { serializeByKey } from '../database/engines.ts';
import { insertWithTimes } from '../database/writes.ts';
import { emailKey, emailKeys } from '../identity/account-names.ts';
import { endApps, revokeTokens } from '../identity/api-tokens.ts';
import { emailBeginnings, nameBeginnings } from '../identity/beginnings.ts';
import { accountIsBot } from '../identity/bot-rules.ts';
import { storedPreferences } from '../identity/preferences.ts';
import { emailTaken, orConflict, requireFree } from '../identity/taken-names.ts';
import { aNewToken } from '../identity/tokens.ts';
import { claimed } from '../identity/unclaimed.ts';
import { noSuchUser, shownUser, type User } from '../identity/users.ts';
import { joinDefaultRooms } from '../members/default-rooms.ts';
import { leaveGroupRooms } from '../members/group-rooms.ts';
import { appointSuccessors } from '../members/leave-all-rooms.ts';
import { forgetMadeBy } from '../members/made.ts';
import { silenceBotsOf } from '../members/silenced-bots.ts';
import { notifyServers } from '../notices/notices.ts';
import { stepDownAdmin } from './last-admin.ts';

/** The data of a new account. */
export type NewAccount = {
  username: string;
  name?: string | undefined;
  email: string;
  /** Absent for an account without a password. */
  password?: string;
  is_admin: boolean;
  is_first?: true;
  /** The identity at a provider that signs in to the account. */
  identity?: IdentityDocument;
  /** True if the owner has proved that they read e-mail to the address. */
  isConfirmed?: boolean;
};

/** The changes that can be made to an account. */
export type AccountChanges = {
  /** An empty name removes it. */
  name?: string | undefined;
  /** Null removes it. */
  status?: StatusDocument | null | undefined;
  /** Null ends the quiet time now. */
  quiet_until?: Date | null | undefined;
  /** Null removes them. */
  quiet_hours?: QuietHours | null | undefined;
  hides_push_text?: boolean | undefined;
  email_digest?: boolean | undefined;
  shows_presence?: boolean | undefined;
  email?: string | undefined;
  password?: string | undefined;
  is_admin?: boolean | undefined;
  is_active?: boolean | undefined;
};

/** The tokens that stay valid after a change of password: a single token, or all named tokens. */
type KeptTokens = { token?: ObjectId | undefined; tokens?: boolean | undefined };

/** A new account. The token of its first session is absent if it is in a cookie. */
export const newUserSchema = record('NewUser', { user: described('The account.', shownUser.schema), token: aNewToken }, [
  'token',
]);
export type NewUser = WithToken<Shown<typeof newUserSchema>>;

/** Creates an account; 409 if its name or address is taken. */
export const createUser = async (account: NewAccount): Promise<User> => shownUser.show(await insertUser(account));

/** Creates an account and its first session. Later logins from `source` count as the owner's. */
export async function signUp(account: NewAccount, source: string, agent: string | undefined): Promise<NewUser> {
  const user = await insertUser(account);
  const [{ token }] = await Promise.all([createSession(user, agent), rememberAddress(user._id.toHexString(), source)]);
  return { user: shownUser.show(user), token };
}

/**
 * Changes an account. A deactivation ends all its sessions and the access of apps; a new password
 * ends its sessions and revokes its named tokens, except those to keep.
 *
 * 404 if the account does not exist. 409 if the address is taken, or if the account belongs to the
 * last administrator and would lose that role. Also 409 if a bot would get an address, a password
 * or administrator rights.
 */
export async function changeUser(id: ObjectId, changes: AccountChanges, keep: KeptTokens = {}): Promise<User> {
  const { name, email, password, is_admin, is_active } = changes;
  const { set, unset } = storedPreferences(changes);
  const endsSessions = password !== undefined || is_active === false;
  if (email !== undefined || password !== undefined || is_admin) await requirePerson(id);
  if (email !== undefined) await requireFreeAddress(email, id);
  const update = {
    $set: {
      ...(name && { name }),
      ...(name !== undefined && { name_beginnings: nameBeginnings({ username: await usernameOf(id), name }) }),
      ...set,
      ...(email !== undefined && { email, email_key: emailKey(email), email_beginnings: emailBeginnings(email) }),
      ...(password !== undefined && { password_hash: await hashPassword(password) }),
      ...(is_admin !== undefined && { is_admin }),
      ...(is_active !== undefined && { is_active }),
    },
    $unset: {
      ...(name === '' && { name: '' as const }),
      ...(password !== undefined && claimed),
      ...unset,
    },
    $inc: { session_generation: endsSessions ? 1 : 0 },
  };
  const stepsDown = is_admin === false || is_active === false;
  const changed = await orConflict(stepsDown ? stepDownAdmin(id, update) : change(id, update));
  if (!changed) throw noSuchUser();
  // First, because the rest can take long in many rooms: nothing else stops the bots if the process
  // dies meanwhile.
  if (is_active === false) await regardlessOfDeadline(() => silenceBotsOf(id, { isDeleted: false }));
  const isSeen = name !== undefined || changes.status !== undefined || changes.shows_presence !== undefined;
  if (isSeen) notifyServers({ type: 'person', user: id.toHexString() });
  if (endsSessions) await endSessions(id, changed.session_generation, keep.token);
  if (password !== undefined && !keep.tokens) await revokeTokens(id, keep.token);
  if (is_active === false) {
    await endApps(id);
    await leaveGroupRooms(id);
    await appointSuccessors(id);
  }
  if (stepsDown) await forgetMadeBy(id, is_active === false ? 'all' : 'others');
  // Otherwise the codes for the old address would work again if the account returned to it.
  if (email !== undefined) await forgetCodesOf(id);
  return shownUser.show(changed);
}

/** Stores a new account and joins its default rooms; 409 if its name or address is taken. */
export async function insertUser(created: NewAccount): Promise<UserDocument> {
  const { username, name, email, password, is_admin, is_first, identity, isConfirmed } = created;
  await requireFree(username, email);
  const account = {
    username,
    ...(name && { name }),
    name_beginnings: nameBeginnings({ username, name }),
    email,
    email_key: emailKey(email),
    email_beginnings: emailBeginnings(email),
    ...(password !== undefined && { password_hash: await hashPassword(password) }),
    ...(isConfirmed && { confirmed_email: email }),
    ...(identity && { identity }),
    is_admin,
    is_active: true,
    session_generation: 0,
    ...(is_first && { is_first }),
  };
  const inserted = await orConflict(
    insertOnce(is_first ? '(first)' : username, () => insertWithTimes(users.unscoped, account, { created_at: '$$NOW' })),
  );
  await joinDefaultRooms(inserted._id);
  return inserted;
}

const insertOnce = serializeByKey<UserDocument>();

/**
 * Refuses an address of another account. The index does not find addresses that are stored under an
 * older key.
 */
async function requireFreeAddress(email: string, own: ObjectId): Promise<void> {
  const taken = await users.findOne({ email_key: { $in: emailKeys(email) }, _id: { $ne: own } }, { projection: { _id: 1 } });
  if (taken) throw emailTaken();
}

const change = (id: ObjectId, update: UpdateFilter<Omit<UserDocument, '_id'>>): Promise<WithId<UserDocument> | null> =>
  users.findOneAndUpdate({ _id: id }, update, { returnDocument: 'after' });

/** The username of an account, which never changes; 404 if the account does not exist. */
async function usernameOf(id: ObjectId): Promise<string> {
  const found = await users.findOne<Pick<UserDocument, 'username'>>({ _id: id }, { projection: { username: 1 } });
  if (!found) throw noSuchUser();
  return found.username;
}

/** Refuses, with 409, to give a bot a way to sign in, or more rights than its owner has. */
async function requirePerson(id: ObjectId): Promise<void> {
  if (await users.findOne({ _id: id, is_bot: true }, { projection: { _id: 1 } })) throw accountIsBot();
}
