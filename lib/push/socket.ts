import { limits } from '../api/limits.ts';
import type { ConnectionDocument } from '../collections/connections.ts';
import { findCallersOf } from '../identity/authenticate.ts';
import type { Caller } from '../identity/caller.ts';
import { notify } from '../notices.ts';
import { addConnection, greetConnection, hearConnection, mayType } from './connections.ts';
import { endConnection } from './farewell.ts';
import { type ClientFrame, mostInPong, readFrame, type ServerFrame, socketLimits } from './frames.ts';
import { isMember, readEpoch, readMoved } from './news.ts';
import { findOpener } from './open.ts';

/*
 * The life of a connection to a gateway, as functions see it: each frame is a request of its own, and the database knows the rest.
 */

/** After how many seconds of silence clients are to ping, and how many seconds API Gateway gives a connection at most. */
const pingEvery = 240;
const lifetime = 7_200;

/** Admits a connection by the headers of its handshake; nothing can be sent to it before this is done. Throws what the handshake is refused with. */
export async function openConnection(id: string, headers: Record<string, string | undefined>): Promise<Caller> {
  const caller = await findOpener(headers);
  await addConnection(id, caller);
  return caller;
}

/** Takes a frame of a client, and returns the answer if there is one. Throws what is wrong with the frame. */
export async function answerFrame(id: string, text: string): Promise<ServerFrame | undefined> {
  const connection = await hearConnection(id);
  // It was ended, or forgotten: its client begins anew.
  if (!connection) return end(id, 'unknown');
  if (connection.is_excess) return refuseExcess(connection);
  if (Buffer.byteLength(text) > socketLimits.frame) return end(id, 'large');
  const frame = readFrame(text);
  if (frame.type === 'hello') return greet(connection, frame.events ?? true);
  const caller = (await findCallersOf([connection.token])).get(connection.token.toHexString())?.caller;
  if (!caller) return end(id, 'ended');
  if (frame.type === 'ping') return pong(connection, caller, frame);
  const isShown = connection.is_greeted && (await isMember(caller, frame.room)) && (await mayType(connection, frame.room));
  const { _id: user, username } = caller.user;
  if (isShown) notify({ type: 'typing', room: frame.room.toHexString(), user: user.toHexString(), username });
  return undefined;
}

async function end(id: string, reason: Parameters<typeof endConnection>[1]): Promise<undefined> {
  await endConnection(id, reason);
  return undefined;
}

async function refuseExcess({ _id, excess }: ConnectionDocument): Promise<ServerFrame | undefined> {
  if (excess < 3) return { type: 'error', status: 429, message: 'Too many frames.' };
  return excess === 3 ? end(_id, 'flood') : undefined;
}

/** Recorded first, answered second: whatever the client reads after the answer is not older than what is pushed to it. */
async function greet(connection: ConnectionDocument, wantsEvents: boolean): Promise<ServerFrame | undefined> {
  if (!(await greetConnection(connection._id, wantsEvents))) return end(connection._id, 'unknown');
  const epoch = await readEpoch();
  return { type: 'hello', connection: connection._id, ping: pingEvery, lifetime, now: tellTime(connection), epoch };
}

async function pong(
  connection: ConnectionDocument,
  caller: Caller,
  { id, since }: ClientFrame & { type: 'ping' },
): Promise<ServerFrame> {
  const epoch = await readEpoch();
  const moved = since ? [...(await readMoved(caller, since, mostInPong))] : [];
  const rooms = moved.slice(0, mostInPong).map(([room, seq]) => ({ room: { $oid: room }, seq }));
  return { type: 'pong', id, now: tellTime(connection), epoch, rooms, more: moved.length > mostInPong };
}

// A change has the time at which its update began, and may be seen later, by as much as a request takes.
const tellTime = ({ heard_at }: ConnectionDocument) => ({
  $date: new Date(heard_at.getTime() - limits.requestTime).toISOString(),
});
