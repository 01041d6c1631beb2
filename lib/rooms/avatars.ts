import type { ObjectId } from 'mongodb';
import { rooms } from '../collections/rooms/rooms.ts';
import { forgetAvatar, readAvatar, receivePicture, receivePictureRefusals, storeAvatar } from '../files/avatars.ts';
import { actorId, type Caller } from '../identity/caller.ts';
import { changeRoom } from './change.ts';
import { findContext, noSuchRoom } from './contexts.ts';
import { type DetailedRoom, type RoomDetails, shownDetails } from './details.ts';
import { recordEvent } from './event-log.ts';
import { allowedTo, refusalsOf, requirePermission } from './permissions.ts';
import { seenBy } from './rooms.ts';
import { placeOf } from './sequence.ts';

export const setRoomAvatarRefusals = [...refusalsOf('change'), ...receivePictureRefusals];

/** The picture of a room, if the caller can see the room. */
export async function readRoomAvatar(room: ObjectId, asked: string | undefined, caller: Caller) {
  if ((await rooms.countDocuments({ ...seenBy(caller), _id: room }, { limit: 1 })) === 0) throw noSuchRoom();
  return readAvatar(room, asked);
}

/** Stores a picture of a room. */
export async function setRoomAvatar(room: ObjectId, sent: AsyncIterable<Uint8Array>, caller: Caller): Promise<RoomDetails> {
  await requireChange(room, caller);
  const picture = await receivePicture(sent);
  // The upload may have taken long, so the permission is checked again.
  await requireChange(room, caller);
  await storeAvatar(room, picture);
  try {
    return await changeAvatar(room, { $set: { avatar: picture.version } }, caller);
  } finally {
    // The room may have been deleted in the meantime.
    if ((await rooms.countDocuments({ _id: room }, { limit: 1 })) === 0) await forgetAvatar(room);
  }
}

/** Removes the picture of a room. */
export async function removeRoomAvatar(room: ObjectId, caller: Caller): Promise<void> {
  await changeAvatar(room, { $unset: { avatar: '' } }, caller);
  await forgetAvatar(room);
}

async function changeAvatar(
  room: ObjectId,
  update: { $set: { avatar: string } } | { $unset: { avatar: '' } },
  caller: Caller,
): Promise<RoomDetails> {
  const changed = await changeRoom<DetailedRoom>(
    { where: { _id: room, ...allowedTo('change', caller) }, update, projection: shownDetails.reads },
    () => requireChange(room, caller),
  );
  await recordEvent(placeOf(changed), actorId(caller), 'room.changed');
  return shownDetails.show(changed);
}

const requireChange = async (room: ObjectId, caller: Caller) => void requirePermission(await findContext(room, caller), 'change');
