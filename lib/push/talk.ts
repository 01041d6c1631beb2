import type { ObjectId } from 'mongodb';
import { notify } from '../notices/notices.ts';
import { type ClientFrame, mostInPong, noPresence, readFrame, type ServerFrame } from './frames.ts';

type Time = { $date: string };

/** The time and the epoch of an answer. */
type Moment = { now: Time; epoch: string };

/**
 * One client's connection, as its host knows it. A function that returns undefined has ended the connection, or has
 * no answer.
 */
export type Session = {
  /** Sends news to the client from now on; gives what the greeting says. */
  greet: (
    wantsEvents: boolean,
  ) => Promise<(Moment & { connection: string; ping: number; lifetime?: number; presence?: boolean }) | undefined>;
  /** The rooms of the client that moved since a time, at least one more than `most` if there are as many. */
  findMoved: (since: Date | undefined, most: number) => Promise<(Moment & { moved: [room: string, seq: number][] }) | undefined>;
  /** The user who types, if the client may say so in the room now. */
  findTypist: (room: ObjectId) => Promise<{ user: string; username: string } | undefined>;
  /** Watches these people from now on, and gives how they are; notes that the user is active. Absent where the service tells no presence. */
  presence?: { watch: (users: string[]) => ServerFrame | undefined; noteActivity: () => void } | undefined;
};

/** Takes a frame of a client, and returns the answer if there is one. Throws an `HttpError` for what is not a frame. */
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
