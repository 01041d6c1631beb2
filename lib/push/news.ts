import { ObjectId } from 'mongodb';
import { limits } from '../api/limits.ts';
import { rooms } from '../collections/rooms.ts';
import { users } from '../collections/users.ts';
import { withDeadline } from '../deadline.ts';
import { type Event, readEvents } from '../feed/events.ts';
import { findCallersOf } from '../identity/authenticate.ts';
import { notBlocked } from '../rooms/conversations.ts';
import { socketLimits } from './frames.ts';

/*
 * What the service reads to tell those who are connected. Ids are in hexadecimal, because they are keys of maps.
 */

/** What happened in a room after a place: up to `next`, and who is a member. */
export type News = { events: Event[]; next: number; members: Set<string> };

/**
 * Reads what happened in a room after a place, as far as its feed goes without a gap. The members are read last, so that nobody gets what came
 * after they had ceased to be one: a removal takes its place in the update that removes. 404 when the room does not exist.
 */
export const readNews = (room: string, after: number): Promise<News> =>
  inTime(async () => {
    const { events, next } = await readEvents(new ObjectId(room), after, socketLimits.eventsPerFrame, 'service');
    return { events, next, members: await findMembers(room) };
  });

/** The users in a room; none when it does not exist. */
export const readMembers = (room: string): Promise<Set<string>> => inTime(() => findMembers(room));

async function findMembers(room: string): Promise<Set<string>> {
  const found = await rooms.findOne<{ members: { user: ObjectId }[] }>(
    { _id: new ObjectId(room) },
    { projection: { 'members.user': 1 } },
  );
  return new Set(found?.members.map(({ user }) => user.toHexString()));
}

/** The rooms of a user, except the conversations that the user does not want to see, and how far the feed of each is. */
export const readRoomsOf = (user: string): Promise<Map<string, number>> =>
  inTime(async () => {
    const _id = new ObjectId(user);
    const account = await users.findOne<{ blocked?: ObjectId[] }>({ _id }, { projection: { blocked: 1 } });
    return positionsOf({ 'members.user': _id, ...notBlocked({ user: account ?? {} }) });
  });

/** How far the feeds of these rooms are; a room that does not exist has none. */
export const readPositions = (ids: string[]): Promise<Map<string, number>> =>
  inTime(() => positionsOf({ _id: { $in: ids.map((id) => new ObjectId(id)) } }));

async function positionsOf(which: Parameters<typeof rooms.find>[0]): Promise<Map<string, number>> {
  const found = await rooms.find<{ _id: ObjectId; seq: number }>(which, { projection: { seq: 1 } }).toArray();
  return new Map(found.map(({ _id, seq }) => [_id.toHexString(), seq]));
}

/** Those of these tokens, by their ids, that are still valid. */
export const readValidTokens = (ids: string[]): Promise<Set<string>> =>
  inTime(async () => new Set((await findCallersOf(ids.map((id) => new ObjectId(id)))).keys()));

// Nobody's request, but no call may take longer than one.
const inTime = <T>(read: () => Promise<T>): Promise<T> => withDeadline(performance.now() + limits.requestTime, read);
