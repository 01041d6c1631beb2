import { type Filter, ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { id, type Parameter } from '../api/parameters.ts';
import { eitherOf } from '../api/schema.ts';
import { attempt } from '../base/deadline.ts';
import { conflict, invalidParameter, type Refusal } from '../base/errors.ts';
import { loginLimits } from '../collections/accounts/login-limits.ts';
import { newRoom, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { username } from '../identity/account-names.ts';
import { blockedBy } from '../identity/blocks.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { failClosed, keyOf, minute, takeSlot } from '../identity/slots.ts';
import { findActiveUsers, noSuchUser } from '../identity/users.ts';
import { notify } from '../notices/notices.ts';
import { config } from '../settings/config.ts';
import { allowedTo } from './permissions.ts';
import { type Room, roomKey, type ShownRoom, shownRoom } from './rooms.ts';

/** The most other people in a conversation. */
const mostOthers = 8;

/** People, each by id or by username; 24 hexadecimal characters are an id. */
export const people: Parameter<(ObjectId | string)[]> = {
  read: (sent) => {
    if (!Array.isArray(sent) || sent.length === 0 || sent.length > mostOthers) return undefined;
    const read = sent.map((one) => id.read(one) ?? username.read(one));
    return read.every((one) => one !== undefined) ? read : undefined;
  },
  about: 'The other users, each by id or name. They always share the same conversation.',
  rule: `be a list of 1 to ${mostOthers} ids or usernames`,
  schema: {
    type: 'array',
    minItems: 1,
    maxItems: mostOthers,
    items: eitherOf(id.bodySchema ?? id.schema, username.schema),
  },
};

const blockedByCaller: Refusal = () => conflict('user_blocked', 'The caller has blocked the user.');
const tooManyConversations: Refusal = () => conflict('too_many_conversations', 'The caller has started too many conversations.');
export const conversationRefusals = [noSuchUser, blockedByCaller, tooManyConversations];

/** Opens the caller's conversation with these people, or creates it. */
export async function openConversation(others: (ObjectId | string)[], caller: Caller): Promise<Room> {
  const me = caller.user._id;
  const ids = await findActiveUsers(others);
  const all = distinct([me, ...ids]);
  if (all.length < 2) throw invalidParameter('users', 'name somebody else');
  if (all.some((one) => blockedBy(caller).some((blocked) => blocked.equals(one)))) throw blockedByCaller();

  const key = directKeyOf(all);
  const find = async () => (await rooms.findOne<ShownRoom>({ direct_key: key }, { projection: shownRoom.reads })) ?? undefined;
  const known = await find();
  if (known) return shownRoom.show(known);
  await countConversation(all, caller);
  // If a concurrent request has created the conversation, it is found. If it was deleted since, it
  // is created again.
  return shownRoom.show(await attempt({ times: 10 }, async () => (await insert(all, key, me)) ?? (await find())));
}

/**
 * Counts a new conversation of the caller, or rejects it. One limit is for all conversations that
 * the caller has started. Another is for those of a day with people who share no room with the
 * caller. It keeps users from filling other people's lists.
 */
async function countConversation(all: ObjectId[], caller: Caller): Promise<void> {
  const { areOn, roomsPerUser, strangersPerDay } = config.limits;
  if (!areOn || isAdmin(caller)) return;
  const me = caller.user._id;
  const begun = { 'members.user': me, is_direct: true, created_by: me } as const;
  if ((await rooms.countDocuments(begun, { limit: roomsPerUser })) >= roomsPerUser) throw tooManyConversations();
  if (!(await hasStranger(all, me))) return;
  const limit = { most: strangersPerDay, window: 24 * 60 * minute, isSettled: true } as const;
  await failClosed(() => takeSlot(strangersOf(me), new ObjectId(), limit));
}

const strangersOf = (user: ObjectId) => keyOf('conversations of', user.toHexString());

/** Deletes the counts of an account's conversations. The conversations remain. */
export const forgetConversationLimit = async (user: ObjectId): Promise<void> =>
  void (await loginLimits.deleteMany({ _id: strangersOf(user) }));

/** True if one of these people shares no room with the caller. */
async function hasStranger(all: ObjectId[], me: ObjectId): Promise<boolean> {
  const others = all.filter((one) => !one.equals(me));
  const shared = others.map((other) =>
    rooms.findOne({ $and: [{ 'members.user': other }, { 'members.user': me }] }, { projection: { _id: 1 } }),
  );
  return (await Promise.all(shared)).includes(null);
}

/**
 * The condition that excludes conversations with a user whom the caller has blocked, and group
 * conversations that such a user started.
 */
export function notBlocked(caller: Parameters<typeof blockedBy>[0]): Filter<Omit<RoomDocument, '_id'>> {
  const blocked = blockedBy(caller);
  if (blocked.length === 0) return {};
  const ofTwo = { is_direct: true as const, members: { $size: 2 }, 'members.user': { $in: blocked } };
  return { $nor: [ofTwo, { is_direct: true, created_by: { $in: blocked } }] };
}

/** The ids of the rooms among these that the caller may read and does not hide. */
export async function findReadable(among: ObjectId[], caller: Caller): Promise<ReadonlySet<string>> {
  const filter = { _id: { $in: distinct(among) }, ...allowedTo('read', caller), ...notBlocked(caller) };
  const found = await rooms.find<{ _id: ObjectId }>(filter, { projection: { _id: 1 } }).toArray();
  return new Set(found.map(({ _id }) => _id.toHexString()));
}

/** True if `notBlocked` excludes this room. */
export function isBlocked(
  room: Pick<RoomDocument, 'is_direct' | 'created_by'> & { members: { user: ObjectId }[] },
  caller: Parameters<typeof blockedBy>[0],
): boolean {
  if (!room.is_direct) return false;
  const isOne = (user: ObjectId) => blockedBy(caller).some((blocked) => blocked.equals(user));
  return isOne(room.created_by) || (room.members.length === 2 && room.members.some(({ user }) => isOne(user)));
}

/** The key of these people's conversation. The unique index prevents a second one. */
const directKeyOf = (all: ObjectId[]) =>
  all
    .map((one) => one.toHexString())
    .sort()
    .join(' ');

/** The people of a conversation's key. */
export const peopleOf = (key: string): ObjectId[] => key.split(' ').map((one) => new ObjectId(one));

/**
 * Inserts a conversation. It is hidden and closed, and has neither a name nor an owner who could
 * change that. Returns undefined if it exists.
 */
async function insert(all: ObjectId[], key: string, creator: ObjectId): Promise<ShownRoom | undefined> {
  const _id = new ObjectId();
  const members = all.map((user) => ({ _id: new ObjectId(), user, role: 'member', joined_at: '$$NOW' }));
  const shown = { name: '', is_open: false, is_visible: false };
  const fields = { ...newRoom, ...shown, members, is_direct: true, direct_key: key, created_by: creator };
  try {
    await rooms.unscoped.updateOne({ _id }, [{ $set: { ...fields, name_key: roomKey('', _id) } }], { upsert: true });
    notify({ type: 'moved', room: _id.toHexString(), seq: 0, joined: all.map((user) => user.toHexString()) });
    return { _id, ...shown, members };
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}
