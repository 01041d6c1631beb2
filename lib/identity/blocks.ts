import { ObjectId } from 'mongodb';
import { distinct, showId } from '../api/extended-json.ts';
import { type ListPage, type Page, pageById } from '../api/pages.ts';
import { requireAtMostOne } from '../api/parameters.ts';
import { conflict, invalidParameter, missingEvery, notFound, type Refusal } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { notify } from '../notices/notices.ts';
import { type Caller, isAdmin } from './caller.ts';
import { findPersons, type StatedPerson, showPerson } from './persons.ts';
import { noSuchUser, type OtherUser, shownOtherUser } from './users.ts';

/** The most users that a user can block: the list is read with every token. */
const mostBlocked = 500;

const noSuchBlock: Refusal = () => notFound('block');
const tooManyBlocked: Refusal = () => conflict('too_many_blocked', 'The list of blocked users is full.');
export const blockRefusals = [noSuchUser, tooManyBlocked];
export const unblockRefusals = [noSuchBlock];

/** The users that the caller has blocked. */
export const blockedBy = ({ user }: { user: Pick<Caller['user'], 'blocked'> }): ObjectId[] => user.blocked ?? [];

/**
 * Returns true if an active account has blocked another user; undefined if the account is missing
 * or inactive.
 */
export async function hasBlocked(user: ObjectId, other: ObjectId): Promise<boolean | undefined> {
  const account = await users.findOne({ _id: user, is_active: true }, { projection: { blocked: 1 } });
  return account ? blockedBy({ user: account }).some((blocked) => blocked.equals(other)) : undefined;
}

/**
 * Removes the statuses of those users who have blocked the caller; administrators see all. `all`
 * has the users by their ids in hexadecimal.
 */
export async function hideStatuses<T extends Pick<StatedPerson, 'status'>>(
  all: ReadonlyMap<string, T | undefined>,
  caller: Caller,
): Promise<ReadonlyMap<string, T | undefined>> {
  const me = caller.user._id.toHexString();
  const stated = [...all].flatMap(([id, user]) => (user?.status && id !== me ? [new ObjectId(id)] : []));
  if (stated.length === 0 || isAdmin(caller)) return all;
  const hiding = await users
    .find({ _id: { $in: stated }, blocked: caller.user._id }, { projection: { _id: 1 }, batchSize: stated.length + 1 })
    .toArray();
  const shown = new Map(all);
  for (const { _id } of hiding) {
    const { status: _, ...user } = all.get(_id.toHexString()) as T;
    shown.set(_id.toHexString(), user as T);
  }
  return shown;
}

/** A page of the users that the caller has blocked, sorted by id. */
export async function listBlocked({ limit, after }: Page, caller: Caller): Promise<ListPage<OtherUser>> {
  const blocked = distinct(blockedBy(caller)).toSorted((one, other) => Buffer.compare(one.id, other.id));
  const start = after ? blocked.filter((id) => Buffer.compare(id.id, after.id) > 0) : blocked;
  const found = start.slice(0, limit + 1);
  const persons = await findPersons(found);
  return pageById(
    found.map((_id) => ({ _id })),
    limit,
    // A user can block strangers, who may not see a status.
    ({ _id }) => ({ _id: showId(_id), ...showPerson(persons.get(_id.toHexString())) }),
  );
}

/** Blocks a user: their conversations are hidden from the caller, and they are not notified. */
export async function blockUser({ user, username }: UserReference, caller: Caller): Promise<OtherUser> {
  requireAtMostOne(['user', 'username'], { user, username });
  if (!user && username === undefined) throw missingEvery(['user', 'username']);
  const found = await users.findOne(user ? { _id: user } : { username: username as string }, {
    projection: shownOtherUser.reads,
  });
  if (!found) throw noSuchUser();
  const { _id } = found;
  if (_id.equals(caller.user._id)) throw invalidParameter(user ? 'user' : 'username', 'be somebody else');
  const hasRoom = { $or: [{ blocked: _id }, { [`blocked.${mostBlocked - 1}`]: { $exists: false } }] };
  const blocking = await users.updateOne({ $and: [{ _id: caller.user._id }, hasRoom] }, { $addToSet: { blocked: _id } });
  if (blocking.matchedCount === 0) throw tooManyBlocked();
  notify({ type: 'blocked', user: caller.user._id.toHexString(), whom: _id.toHexString() });
  const { status: _, ...shown } = shownOtherUser.show(found);
  return shown;
}

/** A user by id or by username. */
type UserReference = { user?: ObjectId | undefined; username?: string | undefined };

/** Unblocks a user: their conversations are visible to the caller again, with all messages. */
export async function unblockUser(user: ObjectId, caller: Caller): Promise<void> {
  const unblocking = await users.updateOne({ _id: caller.user._id, blocked: user }, { $pull: { blocked: user } });
  if (unblocking.matchedCount === 0) throw noSuchBlock();
  notify({ type: 'blocked', user: caller.user._id.toHexString(), whom: user.toHexString() });
}
