import type { IndexDescription, ObjectId } from 'mongodb';
import { type DateTime, dateSchema, showDate } from '../api/dates.ts';
import { type Id, idSchema, pathId, showId } from '../api/extended-json.ts';
import type { Page } from '../api/pages.ts';
import type { Parameter } from '../api/parameters.ts';
import { aFlag, aText, record } from '../api/schema.ts';
import { database } from '../database/client.ts';
import { notFound } from '../errors.ts';
import { actsAsAdmin, type Caller } from './tokens.ts';

/** An account. One that was deleted keeps its `_id`, under which its messages stay, and loses everything that tells whose it was. */
export type UserDocument = {
  _id: ObjectId;
  username: string;
  /** As it was typed, and beside it as it is compared. */
  email: string;
  email_key: string;
  password_hash: string;
  is_admin: boolean;
  is_active: boolean;
  created_at: Date;
  /** Sessions of an older generation are over: one write ends them all, wherever they are used. */
  session_generation: number;
  /** An administrator who is about to be none any more; see `admins.ts`. */
  leaving?: { id: ObjectId; at: Date };
  deleted_at?: Date;
  /** Deleted, but not yet out of every room. */
  has_leftovers?: true;
};

/** A user as one sees oneself, and as admins do. */
export type User = {
  _id: Id;
  username: string;
  email: string;
  is_admin: boolean;
  is_active: boolean;
  created_at: DateTime;
};

/** A user as others see them. */
export type OtherUser = Pick<User, '_id' | 'username'>;

export const userSchema = record<User>('User', {
  _id: idSchema,
  username: aText,
  email: aText,
  is_admin: aFlag,
  is_active: aFlag,
  created_at: dateSchema,
});
export const otherUserSchema = record<OtherUser>('OtherUser', { _id: idSchema, username: aText });

// Sparse, because a deleted account has neither name nor address, and leaves both to others.
export const userIndexes: IndexDescription[] = [
  { key: { username: 1 }, name: 'username', unique: true, sparse: true },
  { key: { email_key: 1 }, name: 'email', unique: true, sparse: true },
  { key: { is_admin: 1 }, name: 'is_admin', partialFilterExpression: { is_admin: true } },
  { key: { has_leftovers: 1 }, name: 'has_leftovers', sparse: true },
];

/** The users themselves, for the modules that hold the rules of accounts. */
export const users = database.collection<Omit<UserDocument, '_id'>>('users');

/** What the name of a deleted user is shown as; nobody can be called so. */
export const deletedUsername = '(deleted)';

/** A user's name: lower-cased, so that no two differ by case alone. */
export const username: Parameter<string> = {
  read: (sent) => {
    const name = typeof sent === 'string' ? sent.toLowerCase() : '';
    return /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name) ? name : undefined;
  },
  rule: 'be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit',
  schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
};

/** An e-mail address: something with one @ between two parts, kept as typed; whether it exists only a message to it can tell. */
export const email: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && /^[^\s@]{1,64}@[^\s@]{1,189}$/.test(sent) ? sent : undefined),
  rule: 'be an e-mail address',
  schema: { type: 'string', format: 'email', maxLength: 254 },
};

/** The start of a user's name, or nothing. */
export const usernameStart: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && sent.length <= 64 ? sent.toLowerCase() : undefined),
  rule: 'be a text of at most 64 characters',
  schema: { type: 'string', maxLength: 64 },
};

/** An e-mail address as addresses are compared: no two differ by case, or by how an accent is written, alone. */
export const emailKey = (address: string): string => address.normalize('NFC').toLowerCase();

/** The account with this id; 404 when there is none (any more). */
export async function findUser(id: ObjectId): Promise<User> {
  const user = await users.findOne({ _id: id, ...living });
  if (!user) throw notFound('user');
  return showUser(user);
}

/** The id that a path has for a user: `me` is the caller's own. */
export const userInPath = (text: string | undefined, caller: Caller): ObjectId =>
  text === 'me' ? caller.user._id : pathId(text, 'user');

/** The account with this id as the caller may see it: in full one's own, and for admins everyone's. */
export async function findUserFor(caller: Caller, id: ObjectId): Promise<User | OtherUser> {
  // Who calls was looked up with the token.
  if (id.equals(caller.user._id)) return showUser(caller.user);
  const user = await findUser(id);
  return actsAsAdmin(caller) ? user : { _id: user._id, username: user.username };
}

/** The account with this name; 404 when there is none. */
export async function findUserByName(name: string): Promise<User> {
  const user = await users.findOne({ username: name });
  if (!user) throw notFound('user');
  return showUser(user);
}

/** The id of the account with this name; 404 when there is none. */
export async function findUserId(name: string): Promise<ObjectId> {
  const user = await users.findOne({ username: name }, { projection: { _id: 1 } });
  if (!user) throw notFound('user');
  return user._id;
}

/** The name of an account that can be used; undefined when there is none with this id, or it is deactivated. */
export async function findActiveUsername(id: ObjectId): Promise<string | undefined> {
  return (await users.findOne({ _id: id, is_active: true }, { projection: { username: 1 } }))?.username;
}

/** The ids of the accounts with these names. */
export async function findUserIds(names: string[]): Promise<ObjectId[]> {
  if (names.length === 0) return [];
  const found = await users.find({ username: { $in: names } }, { projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => _id);
}

/** The names of accounts by their ids in hexadecimal; those that are gone have none. */
export async function findUsernames(ids: ObjectId[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await users.find({ _id: { $in: ids } }, { projection: { username: 1 } }).toArray();
  return new Map(found.map(({ _id, username }) => [_id.toHexString(), username]));
}

/** A page of the accounts by the order of their ids, and one more; those whose names begin with `start`, if it is given. */
export async function listUsers({ limit, after }: Page, start = ''): Promise<User[]> {
  // A range, not a pattern: every name has only ASCII, so what begins with `start` lies between it and it with the last character behind.
  const named = start ? { username: { $gte: start, $lt: `${start}\uffff` } } : living;
  const found = users.find({ ...named, ...(after && { _id: { $gt: after } }) }, { sort: { _id: 1 }, limit: limit + 1 });
  return (await found.toArray()).map(showUser);
}

/** The filter of the accounts that were not deleted. */
export const living = { deleted_at: { $exists: false } };

/** A user as one sees oneself, and as admins do. */
export const showUser = (user: Caller['user']): User => ({
  _id: showId(user._id),
  username: user.username,
  email: user.email,
  is_admin: user.is_admin,
  is_active: user.is_active,
  created_at: showDate(user.created_at),
});
