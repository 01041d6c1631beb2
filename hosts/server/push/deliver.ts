import type { ServerNotice } from '../../../lib/notices/notices.ts';
import { encode } from '../../../lib/push/encode.ts';
import { type ServerFrame, socketLimits } from '../../../lib/push/frames.ts';
import { type Dispatch, framesFor } from '../../../lib/push/frames-for.ts';
import type { Follower } from './audience.ts';
import type { Connection } from './connection.ts';
import type { Hub } from './hub.ts';

/**
 * Handles a notice of this or another process. Chunks of other servers are `isPaced`: they arrive
 * once a second already.
 */
export function deliver(hub: Hub, notice: ServerNotice, { isPaced = false } = {}): void {
  if (hub.followers.size === 0) return;
  if (notice.type === 'presence') hub.presence?.hear(notice);
  else if (notice.type === 'person') {
    refreshRooms(hub, notice.user);
    hub.presence?.changed(notice.user);
  } else dispatch(hub, framesFor(notice), isPaced);
}

/** Chooses the connections that receive a frame, or the rooms and connections to read. */
function dispatch(hub: Hub, notice: Dispatch, isPaced: boolean): void {
  switch (notice.to) {
    case 'members':
      for (const user of notice.left) leaveRoom(hub, user, notice.room);
      hub.rooms.notePosition(notice.room, notice.seq);
      for (const user of notice.joined) joinRoom(hub, user, notice.room);
      break;
    case 'user':
      sendEphemeral(connectionsOf(hub, notice.user), notice.frame, 'read');
      break;
    case 'room':
      sendEphemeral(connectionsIn(hub, notice), notice.frame, 'typing');
      break;
    case 'readers':
      sendChunk(hub, notice, isPaced);
      break;
    case 'former members': {
      const room = hub.rooms.get(notice.room);
      if (room) hub.rooms.gone(room);
      break;
    }
    case 'conversations':
      refreshRooms(hub, notice.user);
      break;
    case 'sessions':
      hub.checkSoon('user' in notice ? connectionsOf(hub, notice.user) : connectionsWith(hub, notice.token));
      break;
    default:
      notice satisfies never;
  }
}

function joinRoom(hub: Hub, user: string, room: string): void {
  const follower = hub.followers.get(user);
  if (follower) hub.rooms.joinSoon(follower, room);
}

/**
 * Ends the membership immediately: the pump would find it later, and chunks of texts would arrive
 * until then. The user may have joined again since.
 */
function leaveRoom(hub: Hub, user: string, id: string): void {
  const follower = hub.followers.get(user);
  const room = hub.rooms.get(id);
  if (!follower || !room?.followers.has(follower)) return;
  hub.rooms.leave(follower, room);
  hub.rooms.joinSoon(follower, id);
}

function refreshRooms(hub: Hub, user: string): void {
  const follower = hub.followers.get(user);
  if (follower) hub.rooms.refreshSoon(follower);
}

const connectionsOf = (hub: Hub, user: string): Connection[] => [...(hub.followers.get(user)?.connections ?? [])];

const connectionsWith = (hub: Hub, token: string): Connection[] =>
  [...hub.connections()].filter((connection) => connection.token === token);

/** Sends a chunk immediately, or once a second in rooms with many readers. */
function sendChunk(hub: Hub, chunk: Dispatch & { to: 'readers' }, isPaced: boolean): void {
  const send = (one: typeof chunk) => sendEphemeral(connectionsIn(hub, one, Number.POSITIVE_INFINITY), one.frame, 'typing');
  if (!isPaced && readersOf(hub, chunk.room).length > socketLimits.typing) hub.chunks.offer(chunk, send);
  else send(chunk);
}

const readersOf = (hub: Hub, room: string): Follower[] => [...(hub.rooms.get(room)?.followers ?? [])];

/** The connections of a room's members, except `user`; none if more than `most` are connected. */
function connectionsIn(hub: Hub, { room, user }: { room: string; user?: string }, most: number = socketLimits.typing) {
  const followers = readersOf(hub, room);
  if (followers.length > most) return [];
  return followers.filter(({ id }) => id !== user).flatMap(({ connections }) => [...connections]);
}

function sendEphemeral(connections: Connection[], frame: ServerFrame, kind: 'typing' | 'read'): void {
  const greeted = connections.filter(({ isGreeted }) => isGreeted);
  if (greeted.length === 0) return;
  const encoded = encode(frame);
  for (const connection of greeted) connection.sendEphemeral(encoded, kind);
}
