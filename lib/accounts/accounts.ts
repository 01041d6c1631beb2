import type { ObjectId, UpdateFilter, WithId } from 'mongodb';
import { aToken, record } from '../api/schema.ts';
import { duplicateIn, insertWithTimes, oneByOne } from '../database/client.ts';
import { conflict, notFound } from '../errors.ts';
import { emailKey, living, showUser, type User, type UserDocument, userSchema, users } from '../identity/users.ts';
import { leaveAdmins } from './last-admin.ts';
import { rememberAddress } from './login-limits.ts';
import { hashPassword } from './passwords.ts';
import { createSession, sweepSessions } from './sessions.ts';

/** What an account is made of. */
export type NewAccount = { username: string; email: string; password: string; is_admin: boolean };

/** What can be changed about an account. */
export type AccountChanges = {
  email?: string | undefined;
  password?: string | undefined;
  is_admin?: boolean | undefined;
  is_active?: boolean | undefined;
};

/** An account that was just made, and the token of its first session. */
export type NewUser = { user: User; token: string };

export const newUserSchema = record<NewUser>('NewUser', { user: userSchema, token: aToken });

/** Makes an account; 409 when its name or address is taken. */
export const createUser = async (account: NewAccount): Promise<User> => showUser(await insertUser(account));

/** Makes an account and begins its first session, from whose address its owner is known from now on. */
export async function signUp(account: NewAccount, source: string, agent: string | undefined): Promise<NewUser> {
  const user = await insertUser(account);
  const [{ token }] = await Promise.all([createSession(user, agent), rememberAddress(user._id.toHexString(), source)]);
  return { user: showUser(user), token };
}

/**
 * Changes an account: 404 when there is none, 409 when its new address is taken or when it is the last administrator's and would be none.
 * A new password or a deactivation ends all its sessions but `keep`.
 */
export async function changeUser(id: ObjectId, changes: AccountChanges, keep?: ObjectId): Promise<User> {
  const { email, password, is_admin, is_active } = changes;
  const endsSessions = password !== undefined || is_active === false;
  const update = {
    $set: {
      ...(email !== undefined && { email, email_key: emailKey(email) }),
      ...(password !== undefined && { password_hash: await hashPassword(password) }),
      ...(is_admin !== undefined && { is_admin }),
      ...(is_active !== undefined && { is_active }),
    },
    $inc: { session_generation: endsSessions ? 1 : 0 },
  };
  const changed = await orConflict(is_admin === false || is_active === false ? leaveAdmins(id, update) : change(id, update));
  if (!changed) throw notFound('user');
  if (endsSessions) await sweepSessions(id, changed.session_generation, keep);
  return showUser(changed);
}

async function insertUser({ username, email, password, is_admin }: NewAccount): Promise<UserDocument> {
  const account = {
    username,
    email,
    email_key: emailKey(email),
    password_hash: await hashPassword(password),
    is_admin,
    is_active: true,
    session_generation: 0,
  };
  return orConflict(insertOnce(username, () => insertWithTimes(users, account, { created_at: '$$NOW' })));
}

const insertOnce = oneByOne<UserDocument>();

const change = (id: ObjectId, update: UpdateFilter<Omit<UserDocument, '_id'>>): Promise<WithId<UserDocument> | null> =>
  users.findOneAndUpdate({ _id: id, ...living }, update, { returnDocument: 'after' });

async function orConflict<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const index = duplicateIn(error);
    if (index === 'username') throw conflict('The username is already in use.');
    if (index === 'email') throw conflict('The e-mail address is already in use.');
    throw error;
  }
}
