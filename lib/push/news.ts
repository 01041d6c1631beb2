import { ObjectId } from 'mongodb';
import { limits } from '../api/limits.ts';
import { withDeadline } from '../base/deadline.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { currentEpoch } from '../database/epoch.ts';
import type { Event } from '../feed/events.ts';
import { type FeedPart, readPart } from '../feed/reader.ts';
import { findCallersOf } from '../identity/authenticate.ts';
import type { Caller } from '../identity/caller.ts';
import { personReads, type StatedPerson } from '../identity/persons.ts';
import { isBlocked, notBlocked } from '../rooms/conversations.ts';
import { socketLimits } from './frames.ts';

/*
 * The database reads for connected clients. Ids are in hexadecimal, because they are keys of maps.
 */

/** The events of a room after a place up to `next`, with their epoch and the room's members. */
export type News = { kind: 'events'; events: Event[]; next: number; epoch: string } & Audience;

/**
 * The members of a room. A conversation is hidden from members who have blocked the other person.
 */
export type Audience = { members: Set<string>; isHiddenFrom: (caller: Caller) => boolean };

/**
 * Reads the events of a room after a place, up to the first gap of its feed. The members are read
 * last. A removal reserves its place in the same update, so former members do not get later events.
 */
export const readNews = (room: string, after: number): Promise<News | Exclude<FeedPart, { kind: 'events' }>> =>
  inTime(async () => {
    const epoch = await readEpoch();
    const part = await readPart(new ObjectId(room), after, socketLimits.eventsPerFrame);
    return part.kind === 'events' ? { ...part, epoch, ...(await findAudience(room)) } : part;
  });

/** The users in a room; empty for an unknown room. */
export const readMembers = async (room: string): Promise<Set<string>> => (await readAudience(room)).members;

/** The users in a room, and those from whom it is hidden. */
export const readAudience = (room: string): Promise<Audience> => inTime(() => findAudience(room));

async function findAudience(room: string): Promise<Audience> {
  const found = await rooms.findOne<Conversation>({ _id: new ObjectId(room) }, { projection: conversation });
  return {
    members: new Set(found?.members.map(({ user }) => user.toHexString())),
    isHiddenFrom: (caller) => found !== null && isBlocked(found, caller),
  };
}

type Conversation = Parameters<typeof isBlocked>[0];
const conversation = { 'members.user': 1, is_direct: 1, created_by: 1 };

/**
 * A user's rooms with the position of each feed, the users they have blocked, and whether others
 * may see that they are active.
 */
type FollowedRooms = { rooms: Map<string, number>; blocked: Set<string>; isShown: boolean };

/** A user's rooms with the position of each feed, without hidden conversations. */
export const readRoomsOf = (user: string, which: { _id?: ObjectId } = {}): Promise<FollowedRooms> =>
  inTime(async () => {
    const _id = new ObjectId(user);
    const account = await users.findOne<Settings>({ _id }, { projection: { blocked: 1, shows_presence: 1 } });
    const rooms = await positionsOf({ ...which, 'members.user': _id, ...notBlocked({ user: account ?? {} }) });
    const blocked = new Set(account?.blocked?.map((one) => one.toHexString()));
    return { rooms, blocked, isShown: account !== null && account.shows_presence !== false };
  });

type Settings = Pick<UserDocument, 'blocked' | 'shows_presence'>;

/**
 * A room of a user with the position of its feed; empty if the user is not a member or the room is
 * hidden.
 */
export const readRoomOf = async (user: string, room: string): Promise<Map<string, number>> =>
  (await readRoomsOf(user, { _id: new ObjectId(room) })).rooms;

/** The users in each of these rooms. */
export const readMembersOf = (ids: string[]): Promise<Map<string, Set<string>>> =>
  inTime(async () => {
    const found = await rooms
      .find<{ _id: ObjectId; members: { user: ObjectId }[] }>(
        { _id: { $in: ids.map((id) => new ObjectId(id)) } },
        { projection: { 'members.user': 1 } },
      )
      .toArray();
    return new Map(found.map(({ _id, members }) => [_id.toHexString(), new Set(members.map(({ user }) => user.toHexString()))]));
  });

/** A user's profile, rooms, and blocked users. */
type Profile = { person: StatedPerson; rooms: Set<string>; blocked: Set<string> };

/** The profile of a user as others see it; undefined for a deleted account. */
export const readPerson = (user: string): Promise<Profile | undefined> =>
  inTime(async () => {
    const _id = new ObjectId(user);
    const found = await users.findOne<StatedPerson & Pick<UserDocument, 'blocked'>>(
      { _id },
      { projection: { ...personReads(), blocked: 1 } },
    );
    if (!found) return undefined;
    const { blocked = [], ...person } = found;
    const rooms = new Set((await positionsOf({ 'members.user': _id })).keys());
    return { person, rooms, blocked: new Set(blocked.map((one) => one.toHexString())) };
  });

/**
 * The conversations of two users, the position of each, and whether it is hidden from the first
 * user.
 */
export const readConversations = (
  user: string,
  other: string,
  caller: Caller,
): Promise<{ room: string; seq: number; isHidden: boolean }[]> =>
  inTime(async () => {
    const both = [user, other].map((id) => ({ 'members.user': new ObjectId(id) }));
    const found = await rooms
      .find<Conversation & { _id: ObjectId; seq: number }>(
        { $and: [...both, { is_direct: true }] },
        { projection: { ...conversation, seq: 1 } },
      )
      .toArray();
    return found.map((room) => ({ room: room._id.toHexString(), seq: room.seq, isHidden: isBlocked(room, caller) }));
  });

/**
 * The caller's rooms that changed since a time, with their positions: `most` and one more, if there
 * are as many.
 */
export const readMoved = (caller: Caller, since: Date, most: number): Promise<Map<string, number>> =>
  inTime(() => positionsOf({ 'members.user': caller.user._id, ...notBlocked(caller), changed_at: { $gte: since } }, most + 1));

/** The positions of the feeds of these rooms. Unknown rooms are left out. */
export const readPositions = (ids: string[]): Promise<Map<string, number>> =>
  inTime(() => positionsOf({ _id: { $in: ids.map((id) => new ObjectId(id)) } }));

async function positionsOf(which: Parameters<typeof rooms.find>[0], limit = 0): Promise<Map<string, number>> {
  const found = await rooms.find<{ _id: ObjectId; seq: number }>(which, { projection: { seq: 1 }, limit }).toArray();
  return new Map(found.map(({ _id, seq }) => [_id.toHexString(), seq]));
}

/** The valid ones among these token ids. */
export const readValidTokens = (ids: string[]): Promise<Set<string>> =>
  inTime(async () => new Set((await findCallersOf(ids.map((id) => new ObjectId(id)))).keys()));

/** True if a caller is a member of a room. */
export const isMember = ({ user }: Caller, room: ObjectId): Promise<boolean> =>
  inTime(async () => (await rooms.findOne({ _id: room, 'members.user': user._id }, { projection: { _id: 1 } })) !== null);

/** The epoch of the next reads. */
export const readEpoch = async (): Promise<string> => (await currentEpoch()).id;

// This is not part of a request, but has the same time limit.
const inTime = <T>(read: () => Promise<T>): Promise<T> => withDeadline(performance.now() + limits.requestTime, read);
