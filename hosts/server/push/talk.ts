import { whyUnavailable } from '../../../lib/database/failures.ts';
import { toHttpError } from '../../../lib/http/middleware/errors.ts';
import { encode } from '../../../lib/push/encode.ts';
import { readRoomOf } from '../../../lib/push/news.ts';
import { answerFrame, type Session } from '../../../lib/push/talk.ts';
import type { Follower } from './audience.ts';
import type { Connection } from './connection.ts';
import { type Hub, pingEvery } from './hub.ts';

/** A connection with its user and hub. */
type Talk = { hub: Hub; connection: Connection; follower: Follower };

/** Responds to a frame of a client. */
export function answer(talk: Talk, data: Buffer, isBinary: boolean): void {
  const { connection } = talk;
  if (!count(connection)) return;
  connection.heardAt = performance.now();
  answerFrame(isBinary ? '' : data.toString(), sessionOf(talk))
    .then((frame) => {
      if (frame) connection.send(encode(frame));
    })
    .catch((error) => {
      const { status, message } = toHttpError(error, connection.id, whyUnavailable);
      refuse(connection, status, message);
    });
}

/** Counts a frame of any kind. Returns true if it should be answered. */
export function count(connection: Connection): boolean {
  const admitted = connection.admit(performance.now());
  if (admitted === 'excess') refuse(connection, 429, 'Too many frames.');
  return admitted === 'fine';
}

const refuse = (connection: Connection, status: number, message: string) =>
  connection.send(encode({ type: 'error', status, message }));

/**
 * The operations of a connection. Pings use only memory, because thousands of connections ping
 * every second.
 */
const sessionOf = ({ hub, connection, follower }: Talk): Session => ({
  // Order matters: register, read, greet. Whatever the client reads after the greeting is not older
  // than the pushed events.
  greet: async (wantsEvents) => {
    await hub.follow(connection, follower);
    connection.wantsEvents = wantsEvents;
    connection.isGreeted = true;
    hub.presence?.came(follower.id);
    const presence = hub.presence && { presence: true };
    return { connection: connection.id, ping: pingEvery, now: timeNow(), epoch: hub.epoch, ...presence };
  },
  findMoved: async (since) => {
    const moved = since ? [...follower.rooms].filter(({ movedAt }) => movedAt >= since.getTime()) : [];
    return { now: timeNow(), epoch: hub.epoch, moved: moved.map(({ id, noticed }) => [id, noticed]) };
  },
  findTypist: async (room) => {
    const id = room.toHexString();
    const isMember = connection.isGreeted && hub.rooms.get(id)?.followers.has(follower);
    if (!isMember || !connection.mayTypeIn(id, performance.now())) return undefined;
    // This process may not know yet that the user was removed, or has blocked the other person.
    const isStillMember = (await hub.read(() => readRoomOf(follower.id, id))).has(id);
    return isStillMember ? { user: follower.id, username: follower.username } : undefined;
  },
  presence: hub.presence && {
    watch: (users) => (connection.isGreeted ? hub.presence?.watch(follower, connection, users) : undefined),
    noteActivity: () => hub.presence?.noteActivity(follower.id),
  },
});

const timeNow = () => ({ $date: new Date().toISOString() });
