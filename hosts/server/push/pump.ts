import { setTimeout as delay } from 'node:timers/promises';
import { HttpError } from '../../../lib/base/errors.ts';
import { describeError, log } from '../../../lib/base/log.ts';
import { type EncodedFrame, encodeSignal, framesOf } from '../../../lib/push/encode.ts';
import { type News, readEpoch, readMembers, readNews } from '../../../lib/push/news.ts';
import type { Follower, Room } from './audience.ts';
import { counts } from './counts.ts';

/** Those to whom it is pushed, as far as a pump deals with them. */
type Audience = {
  /** Reads from the database when it is their turn. */
  read: <T>(work: () => Promise<T>) => Promise<T>;
  /** Says that a user is no longer a member of a room, or that nobody is. */
  leave: (follower: Follower, room: Room) => void;
  gone: (room: Room) => void;
};

/** From so many places on, nobody is told what happened, but only how far the room is. */
const mostBehind = 200;

/** How many milliseconds to wait at a gap, or for a database that is out of reach: at first, and at most. */
const shortestPause = 50;
const longestPause = 500;

/** Pushes what happened in a room to those who follow it, in order, until they have all of it: one for each room, however many follow it. */
export async function pump(audience: Audience, room: Room): Promise<void> {
  if (room.isPumping) return;
  room.isPumping = true;
  let pause = shortestPause;
  while (room.followers.size > 0 && room.position < room.noticed) {
    if (await pumpOnce(audience, room, pause === shortestPause)) pause = shortestPause;
    else {
      await delay(pause, undefined, { ref: false });
      pause = Math.min(2 * pause, longestPause);
    }
  }
  room.isPumping = false;
}

/** Pushes the next part; returns whether there was one. */
async function pumpOnce(audience: Audience, room: Room, isFirst: boolean): Promise<boolean> {
  try {
    if (room.noticed - room.position > mostBehind) return await leap(audience, room);
    const news = await audience.read(() => readNews(room.id, room.position));
    if (news.next === room.position) return false;
    push(audience, room, news);
    return true;
  } catch (error) {
    const status = error instanceof HttpError ? error.status : 500;
    if (status === 404) audience.gone(room);
    // What comes after the place is kept no longer.
    else if (status === 410) return leap(audience, room).catch(() => false);
    else if (isFirst) log('error', 'push delayed', { room: room.id, error: describeError(error) });
    return false;
  }
}

/** Goes to the end of the feed, and tells how far that is. */
async function leap(audience: Audience, room: Room): Promise<boolean> {
  const seq = room.noticed;
  const epoch = await audience.read(readEpoch);
  const members = await audience.read(() => readMembers(room.id));
  room.position = seq;
  tell(audience, room, { epoch, members, next: seq }, undefined);
  return true;
}

function push(audience: Audience, room: Room, news: News): void {
  const { events, next } = news;
  const frames = framesOf(room.id, room.position, news);
  room.position = next;
  if (room.repairing > 0 && events.length > 0) {
    counts.repaired++;
    room.repairing = 0;
  }
  tell(audience, room, news, frames);
}

type ToldState = Pick<News, 'epoch' | 'members' | 'next'>;

function tell(
  audience: Audience,
  room: Room,
  { epoch, members, next: seq }: ToldState,
  frames: EncodedFrame[] | undefined,
): void {
  const signal = [encodeSignal(room.id, epoch, seq)];
  if (room.members) room.members = members;
  for (const follower of room.followers) {
    if (!members.has(follower.id)) {
      audience.leave(follower, room);
      continue;
    }
    for (const connection of follower.connections) {
      if (!connection.isGreeted) continue;
      if (frames && connection.wantsEvents) connection.sendNews(room.id, seq, frames, 'events');
      else connection.sendNews(room.id, seq, signal, 'signal');
    }
  }
}
