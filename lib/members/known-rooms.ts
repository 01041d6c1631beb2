import type { ObjectId } from 'mongodb';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms.ts';
import { type Counters, counterFields } from '../rooms/counters.ts';
import { type Stamp, stampFields, unlessMoved } from '../rooms/stamps.ts';

/*
 * Whoever is connected asks for their rooms again and again, and in most of them nothing has happened meanwhile. A process keeps what it has read
 * of someone's rooms, asks the database each time which rooms those are and how far each has come, and reads those again that have moved.
 */

/** A room with the membership of the one who asks. */
export type MyRoom = Stamp & Pick<RoomDocument, 'name' | 'direct_key'> & Counters & { members: [MemberDocument] };

/** The projection to it. */
export const myRoomFields = (user: ObjectId) => ({
  name: 1,
  direct_key: 1,
  ...stampFields,
  ...counterFields,
  members: { $elemMatch: { user } },
});

/** The rooms that were last read of users, by their ids, those who asked last at the end. */
const known = new Map<string, MyRoom[]>();
const mostRooms = 5_000;
let count = 0;

/** What is known of a user's rooms, if there is anything. */
export const knownRooms = (user: ObjectId): MyRoom[] | undefined => known.get(user.toHexString());

/** The rooms for these stamps, in their order: as known where nothing has happened, else read again, and `undefined` where the user has left meanwhile. */
export async function roomsOf(found: Stamp[], known: MyRoom[], user: ObjectId): Promise<(MyRoom | undefined)[]> {
  // Mostly nothing has happened in any of them: then their order is the same as well.
  const isSame = found.length === known.length && found.every((room, at) => unlessMoved(known[at] as MyRoom, room));
  if (isSame) return known;
  const byId = new Map(known.map((room) => [room._id.toHexString(), room]));
  const unmoved = (room: Stamp) => unlessMoved(byId.get(room._id.toHexString()), room);
  const moved = found.filter((room) => !unmoved(room)).map(({ _id }) => _id);
  const where = { _id: { $in: moved }, 'members.user': user };
  const options = { projection: myRoomFields(user), batchSize: moved.length + 1 };
  const read = moved.length === 0 ? [] : await rooms.find<MyRoom>(where, options).toArray();
  const readById = new Map(read.map((room) => [room._id.toHexString(), room]));
  return found.map((room) => unmoved(room) ?? readById.get(room._id.toHexString()));
}

/** Keeps what was read of a user's rooms, and forgets those of whom nobody has heard for longest. */
export function keepRooms(user: ObjectId, read: MyRoom[]): void {
  const key = user.toHexString();
  forget(key);
  if (read.length === 0) return;
  known.set(key, read);
  count += read.length;
  for (const oldest of known.keys()) {
    if (count <= mostRooms) break;
    forget(oldest);
  }
}

function forget(key: string): void {
  count -= known.get(key)?.length ?? 0;
  known.delete(key);
}
