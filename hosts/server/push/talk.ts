import { whyUnavailable } from '../../../lib/database/failures.ts';
import { toHttpError } from '../../../lib/http/middleware/errors.ts';
import { notify } from '../../../lib/notices.ts';
import { type Encoded, encode } from '../../../lib/push/encode.ts';
import { type ClientFrame, mostInPong, readFrame } from '../../../lib/push/frames.ts';
import type { Follower } from './audience.ts';
import type { Connection } from './connection.ts';
import { type Hub, pingEvery } from './hub.ts';

/** What a connection is about: its user, and the hub that has it. */
type Talk = { hub: Hub; connection: Connection; follower: Follower };

/** Answers a frame of a client. */
export function answer(talk: Talk, data: Buffer, isBinary: boolean): void {
  const { connection } = talk;
  if (!count(connection)) return;
  connection.heardAt = performance.now();
  answerFrame(talk, isBinary ? '' : data.toString()).catch((error) => {
    const { status, message } = toHttpError(error, connection.id, whyUnavailable);
    refuse(connection, status, message);
  });
}

/** Counts a frame of a client, of whatever kind; whether it is to be answered. */
export function count(connection: Connection): boolean {
  const admitted = connection.admit(performance.now());
  if (admitted === 'excess') refuse(connection, 429, 'Too many frames.');
  return admitted === 'fine';
}

const refuse = (connection: Connection, status: number, message: string) =>
  connection.send(encode({ type: 'error', status, message }));

async function answerFrame({ hub, connection, follower }: Talk, text: string): Promise<void> {
  const frame = readFrame(text);
  if (frame.type === 'hello') await greet({ hub, connection, follower }, frame.events ?? true);
  else if (frame.type === 'ping') connection.send(pong(hub, follower, frame));
  else {
    const room = frame.room.toHexString();
    const isMember = connection.isGreeted && hub.rooms.get(room)?.followers.has(follower);
    if (isMember && connection.mayTypeIn(room, performance.now()))
      notify({ type: 'typing', room, user: follower.id, username: follower.username });
  }
}

/** Registered first, read second, greeted last: whatever the client reads after the answer is not older than what is pushed to it. */
async function greet({ hub, connection, follower }: Talk, wantsEvents: boolean): Promise<void> {
  await hub.follow(connection, follower);
  connection.wantsEvents = wantsEvents;
  connection.isGreeted = true;
  connection.send(encode({ type: 'hello', connection: connection.id, ping: pingEvery, now: timeNow(), epoch: hub.epoch }));
}

// From memory: thousands of connections ping every second.
function pong({ epoch }: Hub, follower: Follower, { id, since }: ClientFrame & { type: 'ping' }): Encoded {
  const moved = since ? [...follower.rooms].filter(({ movedAt }) => movedAt >= since.getTime()) : [];
  const rooms = moved.slice(0, mostInPong).map((room) => ({ room: { $oid: room.id }, seq: room.noticed }));
  return encode({ type: 'pong', id, now: timeNow(), epoch, rooms, more: moved.length > mostInPong });
}

const timeNow = () => ({ $date: new Date().toISOString() });
