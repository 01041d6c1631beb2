import { ObjectId } from 'mongodb';
import { about, id, nameText, type Parameter } from '../api/parameters.ts';
import { eitherOf } from '../api/schema.ts';
import { conflict, type Refusal } from '../base/errors.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { username } from '../identity/account-names.ts';
import type { Caller } from '../identity/caller.ts';
import { findActiveUsers } from '../identity/users.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { notBlocked } from '../rooms/conversations.ts';

const roomName = nameText(1, 101);

/** A room by its id, or by its name among the rooms of the caller. */
export const roomParameter: Parameter<ObjectId | string> = about("The room: its id, or the name of one of the caller's rooms.", {
  read: (sent) => id.read(sent) ?? roomName.read(sent)?.replace(/^#/, ''),
  rule: 'be the id or the name of a room',
  schema: { type: 'string', minLength: 1, maxLength: 101 },
});

/** A person or a bot by id or username. */
export const personParameter: Parameter<ObjectId | string> = about('The person or bot: an id, or a username.', {
  read: (sent) => id.read(sent) ?? username.read(sent),
  rule: 'be an id or a username',
  schema: eitherOf(id.schema, username.schema),
});

/** The id of a room in a call. The operations that use it check who may see the room. */
export const findRoomId = async (room: ObjectId | string, caller: Caller): Promise<ObjectId> =>
  room instanceof ObjectId ? room : findNamed(room, caller);

/** The id of an active account in a call: 404 for an unknown one. */
export async function findPersonId(person: ObjectId | string): Promise<ObjectId> {
  const [found] = await findActiveUsers([person]);
  return found as ObjectId;
}

const ambiguousRoom: Refusal = () =>
  conflict('room_ambiguous', 'Several of your rooms have this name: use the id of one, which list_rooms shows.');

async function findNamed(name: string, caller: Caller): Promise<ObjectId> {
  const wanted = keyOf(name);
  const mine = await rooms
    .find<{ _id: ObjectId; name: string }>(
      { 'members.user': caller.user._id, is_direct: { $exists: false }, ...notBlocked(caller) },
      { projection: { name: 1 } },
    )
    .toArray();
  const [first, second] = mine.filter((room) => keyOf(room.name) === wanted);
  if (second) throw ambiguousRoom();
  if (!first) throw noSuchRoom();
  return first._id;
}

const keyOf = (name: string) => name.normalize('NFC').toLowerCase();
