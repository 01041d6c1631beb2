import type { ObjectId } from 'mongodb';
import { notify } from '../notices/notices.ts';
import { type ClientFrame, mostInPong, noPresence, readFrame, type ServerFrame } from './frames.ts';

type Time = { $date: string };

/** The time and the epoch of a response. */
type Moment = { now: Time; epoch: string };

/**
 * One client's connection, as its host implements it. If a function returns undefined, it has
 * closed the connection or there is nothing to answer.
 */
export type Session = {
  /** Starts sending news to the client, and returns the contents of the greeting. */
  greet: (
    wantsEvents: boolean,
  ) => Promise<(Moment & { connection: string; ping: number; lifetime?: number; presence?: boolean }) | undefined>;
  /**
   * The client's rooms that changed since a time. Returns at least one more than `most`, if there
   * are as many.
   */
  findMoved: (since: Date | undefined, most: number) => Promise<(Moment & { moved: [room: string, seq: number][] }) | undefined>;
  /** The typing user, if the client may send typing indicators to the room now. */
  findTypist: (room: ObjectId) => Promise<{ user: string; username: string } | undefined>;
  /**
   * Starts watching these people and returns their presence; records that the user is active.
   * Undefined if the service does not show presence.
   */
  presence?: { watch: (users: string[]) => ServerFrame | undefined; noteActivity: () => void } | undefined;
};

/**
 * Handles a frame from a client and returns the response, if there is one. Throws an `HttpError` if
 * the frame is invalid.
 */
export async function answerFrame(text: string, session: Session): Promise<ServerFrame | undefined> {
  const frame = readFrame(text);
  if (frame.type === 'hello') {
    const greeting = await session.greet(frame.events ?? true);
    return greeting && { type: 'hello', ...greeting };
  }
  if (frame.type === 'ping') return pong(frame, session);
  if (frame.type === 'watch' || frame.type === 'active') {
    if (!session.presence) throw noPresence();
    if (frame.type === 'watch') return session.presence.watch(frame.users.map((user) => user.toHexString()));
    session.presence.noteActivity();
    return undefined;
  }
  const typist = await session.findTypist(frame.room);
  if (typist) notify({ type: 'typing', room: frame.room.toHexString(), ...typist });
  return undefined;
}

async function pong({ id, since }: ClientFrame & { type: 'ping' }, session: Session): Promise<ServerFrame | undefined> {
  const found = await session.findMoved(since, mostInPong);
  if (!found) return undefined;
  const { moved, ...moment } = found;
  const rooms = moved.slice(0, mostInPong).map(([room, seq]) => ({ room: { $oid: room }, seq }));
  return { type: 'pong', id, ...moment, rooms, more: moved.length > mostInPong };
}
