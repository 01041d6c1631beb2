import type { ObjectId } from 'mongodb';
import { flag, optional, type Values } from '../api/parameters.ts';
import { changeRoom, recordChange } from './change.ts';
import { type Actor, findStanding, holds, requireRank } from './permissions.ts';
import { type Room, type RoomDocument, roomKey, roomName, type ShownRoom, shownFields, showRoom } from './rooms.ts';

/** What an owner may change of a room: its name and its flags. */
export const roomSettings = { name: roomName, is_open: flag, is_visible: flag };

/** Some of them. */
export const someRoomSettings = {
  name: optional(roomName),
  is_open: optional(flag),
  is_visible: optional(flag),
};

/** Changes what is given of them. */
export async function changeSettings(room: ObjectId, settings: Values<typeof someRoomSettings>, actor: Actor): Promise<Room> {
  // Undefined is what the database's client leaves out.
  const fields = { ...settings, name_key: settings.name === undefined ? undefined : roomKey(settings.name, room) };
  const changed = await changeRoom<ShownRoom>(
    {
      where: { _id: room, ...holds(actor, 'owner') },
      update: { $set: fields as Partial<RoomDocument> },
      projection: shownFields,
    },
    async () => requireRank(await findStanding(actor, { room }), 'owner'),
  );
  await recordChange(changed, actor._id, 'room.changed');
  return showRoom(changed);
}
