import type { ObjectId } from 'mongodb';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms.ts';
import { Recent } from '../recent.ts';
import { type Counters, counterFields } from '../rooms/counters.ts';
import { type Stamp, stampFields, upToDate } from '../rooms/stamps.ts';

/*
 * Whoever is connected asks for their rooms again and again, and in most of them nothing has happened meanwhile. A process keeps what it has read
 * of someone's rooms, asks the database each time which rooms those are and how far each has come, and reads those again that have moved.
 */

const mostRooms = 5_000;

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

/** The rooms that were last read of users, by their ids: so many of all of them together. */
const known = new Recent<MyRoom[]>(mostRooms, mostRooms, ({ length }) => length);

/** What is known of a user's rooms, if there is anything. */
export const knownRooms = (user: ObjectId): MyRoom[] | undefined => known.get(user.toHexString());

/** Keeps what was read of a user's rooms. */
export const keepRooms = (user: ObjectId, read: MyRoom[]): void => known.set(user.toHexString(), read);

/** The rooms for these stamps, in their order: as known where nothing has happened, else read again, and `undefined` where the user has left meanwhile. */
export const roomsOf = (found: Stamp[], known: MyRoom[], user: ObjectId): Promise<(MyRoom | undefined)[]> =>
  upToDate(found, known, (moved) =>
    rooms
      .find<MyRoom>(
        { _id: { $in: moved }, 'members.user': user },
        { projection: myRoomFields(user), batchSize: moved.length + 1 },
      )
      .toArray(),
  );
