import type { ObjectId } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import { optional, type Values } from '../api/parameters.ts';
import type { RoomDocument } from '../collections/rooms/rooms.ts';
import type { Caller } from '../identity/caller.ts';
import { changeRoom } from './change.ts';
import { findContext } from './contexts.ts';
import { recordEvent } from './event-log.ts';
import { allowedTo, requirePermission } from './permissions.ts';
import { isOpen, isVisible, type Room, roomKey, roomName, type ShownRoom, shownRoom } from './rooms.ts';
import { placeOf } from './sequence.ts';

/** The settings of a room that an owner may change. */
export const roomSettings = { name: roomName, is_open: isOpen, is_visible: isVisible };

/** The settings that a request changes. */
export const someRoomSettings = { name: optional(roomName), is_open: optional(isOpen), is_visible: optional(isVisible) };

/** Changes the given settings. */
export async function changeSettings(
  room: ObjectId,
  settings: Values<typeof someRoomSettings>,
  caller: Caller,
  precondition?: Precondition,
): Promise<Room> {
  // The driver omits undefined fields.
  const fields = { ...settings, name_key: settings.name === undefined ? undefined : roomKey(settings.name, room) };
  const changed = await changeRoom<ShownRoom>(
    {
      where: { _id: room, ...allowedTo('change', caller) },
      update: { $set: fields as Partial<RoomDocument> },
      projection: shownRoom.reads,
    },
    async () => requirePermission(await findContext(room, caller), 'change'),
    { precondition, as: shownRoom },
  );
  await recordEvent(placeOf(changed), caller.user._id, 'room.changed');
  return shownRoom.show(changed);
}
