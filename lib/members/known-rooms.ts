import type { ObjectId } from 'mongodb';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms.ts';
import { Recent } from '../recent.ts';
import { type Counters, counterFields } from '../rooms/counters.ts';
import { type Stamp, stampFields, upToDate } from '../rooms/stamps.ts';

/*
 * Connected clients ask for their rooms again and again, and in most of them nothing has happened meanwhile. A
 * process keeps the rooms of each user in an LRU cache. It asks the database each time which rooms those are and how
 * far each has come, and reads those again that have moved.
 */

const mostRooms = 5_000;

/** A room with the membership of the one who asks. */
export type MyRoom = Stamp & Pick<RoomDocument, 'name' | 'direct_key'> & Counters & { members: [MemberDocument] };

/** The projection to a `MyRoom` of this user. */
export const myRoomFields = (user: ObjectId) => ({
  name: 1,
  direct_key: 1,
  ...stampFields,
  ...counterFields,
  members: { $elemMatch: { user } },
});

/** An LRU cache of the rooms of users, by the ids of the users: so many rooms in all. */
const known = new Recent<MyRoom[]>(mostRooms, mostRooms, ({ length }) => length);

/** The rooms of a user that the cache has, if any. */
export const knownRooms = (user: ObjectId): MyRoom[] | undefined => known.get(user.toHexString());

/** Keeps the rooms that were read of a user. */
export const keepRooms = (user: ObjectId, read: MyRoom[]): void => known.set(user.toHexString(), read);

/**
 * The rooms for these stamps, in their order: as known where nothing has happened, otherwise read again. `undefined`
 * for a room that the user has left meanwhile.
 */
export const roomsOf = (found: Stamp[], known: MyRoom[], user: ObjectId): Promise<(MyRoom | undefined)[]> =>
  upToDate(found, known, (moved) =>
    rooms
      .find<MyRoom>(
        { _id: { $in: moved }, 'members.user': user },
        { projection: myRoomFields(user), batchSize: moved.length + 1 },
      )
      .toArray(),
  );
