import { setTimeout as delay } from 'node:timers/promises';
import { describeError, log } from '../../../lib/base/log.ts';
import { type EncodedFrame, encodeSignal, framesOf } from '../../../lib/push/encode.ts';
import { type News, readEpoch, readMembers, readNews } from '../../../lib/push/news.ts';
import type { Follower, Room } from './audience.ts';
import { counts } from './counts.ts';

/** The part of the hub that a pump uses. */
type Audience = {
  /** Reads from the database, with limited concurrency. */
  read: <T>(work: () => Promise<T>) => Promise<T>;
  /** Handles a user who has left the room, or the deletion of the room. */
  leave: (follower: Follower, room: Room) => void;
  gone: (room: Room) => void;
};

/** Beyond this number of events, only the position of the room is sent. */
const mostBehind = 200;

/** Shortest and longest pause at a gap or while the database is unreachable, in milliseconds. */
const shortestPause = 50;
const longestPause = 500;

/**
 * Pushes the events of a room to its followers, in order, until they have all of them. One pump
 * serves all followers of a room.
 */
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

/** Pushes the next events. Returns false if the next event is missing. */
async function pumpOnce(audience: Audience, room: Room, isFirst: boolean): Promise<boolean> {
  try {
    if (room.noticed - room.position > mostBehind) return await leap(audience, room);
    const news = await audience.read(() => readNews(room.id, room.position));
    if (news.kind === 'deleted') audience.gone(room);
    else if (news.kind !== 'events') return await leap(audience, room);
    else if (news.next > room.position) {
      push(audience, room, news);
      return true;
    }
    return false;
  } catch (error) {
    if (isFirst) log('error', 'push delayed', { room: room.id, error: describeError(error) });
    return false;
  }
}

/** Skips to the end of the feed, and sends only the position. */
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
