import { ObjectId } from 'mongodb';
import { limits } from '../api/limits.ts';
import { withDeadline } from '../base/deadline.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { currentEpoch } from '../database/epoch.ts';
import { type Event, readEvents } from '../feed/events.ts';
import { findCallersOf } from '../identity/authenticate.ts';
import type { Caller } from '../identity/caller.ts';
import { personReads, type StatedPerson } from '../identity/persons.ts';
import { isBlocked, notBlocked } from '../rooms/conversations.ts';
import { socketLimits } from './frames.ts';

/*
 * The reads of the service for the clients that are connected. Ids are in hexadecimal, because they are keys of maps.
 */

/** The events of a room after a place, up to `next`, with their epoch and the members. */
export type News = { events: Event[]; next: number; epoch: string } & Audience;

/** The members of a room, and which of them do not want to see it, because they have blocked whom it is a conversation with. */
export type Audience = { members: Set<string>; isHiddenFrom: (caller: Caller) => boolean };

/**
 * Reads what happened in a room after a place, as far as its feed goes without a gap. The members are read last, so
 * that nobody gets what came after they had ceased to be one: a removal takes its place in the update that removes.
 * 404 when the room does not exist.
 */
export const readNews = (room: string, after: number): Promise<News> =>
  inTime(async () => {
    const epoch = await readEpoch();
    const { events, next } = await readEvents(new ObjectId(room), after, socketLimits.eventsPerFrame, 'service');
    return { events, next, epoch, ...(await findAudience(room)) };
  });

/** The users in a room; none for an unknown room. */
export const readMembers = async (room: string): Promise<Set<string>> => (await readAudience(room)).members;

/** The users in a room, and which of them do not want to see it. */
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

/** The rooms of a user, and how far the feed of each is; whom the user has blocked, and whether others may know when the user is active. */
type Followed = { rooms: Map<string, number>; blocked: Set<string>; isShown: boolean };

/** The rooms of a user, except the conversations that the user does not want to see, and how far the feed of each is. */
export const readRoomsOf = (user: string, which: { _id?: ObjectId } = {}): Promise<Followed> =>
  inTime(async () => {
    const _id = new ObjectId(user);
    const account = await users.findOne<Settings>({ _id }, { projection: { blocked: 1, shows_presence: 1 } });
    const rooms = await positionsOf({ ...which, 'members.user': _id, ...notBlocked({ user: account ?? {} }) });
    const blocked = new Set(account?.blocked?.map((one) => one.toHexString()));
    return { rooms, blocked, isShown: account !== null && account.shows_presence !== false };
  });

type Settings = Pick<UserDocument, 'blocked' | 'shows_presence'>;

/** One room of a user, and how far its feed is; empty if the user is not a member of it, or does not want to see it. */
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

/** What a user is called and says of themselves, and the rooms of the user; undefined for a deleted account. */
export const readPerson = (user: string): Promise<{ person: StatedPerson; rooms: Set<string> } | undefined> =>
  inTime(async () => {
    const _id = new ObjectId(user);
    const person = await users.findOne<StatedPerson>({ _id }, { projection: personReads() });
    if (!person) return undefined;
    return { person, rooms: new Set((await positionsOf({ 'members.user': _id })).keys()) };
  });

/** The conversations of two users, how far each is, and whether the first one does not want to see it. */
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

/** The rooms of a caller that moved since a time, and how far each is: one more than so many, if there are. */
export const readMoved = (caller: Caller, since: Date, most: number): Promise<Map<string, number>> =>
  inTime(() => positionsOf({ 'members.user': caller.user._id, ...notBlocked(caller), changed_at: { $gte: since } }, most + 1));

/** How far the feeds of these rooms are; a room that does not exist has none. */
export const readPositions = (ids: string[]): Promise<Map<string, number>> =>
  inTime(() => positionsOf({ _id: { $in: ids.map((id) => new ObjectId(id)) } }));

async function positionsOf(which: Parameters<typeof rooms.find>[0], limit = 0): Promise<Map<string, number>> {
  const found = await rooms.find<{ _id: ObjectId; seq: number }>(which, { projection: { seq: 1 }, limit }).toArray();
  return new Map(found.map(({ _id, seq }) => [_id.toHexString(), seq]));
}

/** The ids of those of these tokens that are still valid. */
export const readValidTokens = (ids: string[]): Promise<Set<string>> =>
  inTime(async () => new Set((await findCallersOf(ids.map((id) => new ObjectId(id)))).keys()));

/** Whether a caller is a member of a room. */
export const isMember = ({ user }: Caller, room: ObjectId): Promise<boolean> =>
  inTime(async () => (await rooms.findOne({ _id: room, 'members.user': user._id }, { projection: { _id: 1 } })) !== null);

/** In which epoch what is read next counts. */
export const readEpoch = async (): Promise<string> => (await currentEpoch()).id;

// Nobody's request, but no call may take longer than one.
const inTime = <T>(read: () => Promise<T>): Promise<T> => withDeadline(performance.now() + limits.requestTime, read);
