import { ObjectId } from 'mongodb';
import { rooms } from '../../lib/collections/rooms/rooms.ts';

/** Stores rooms as documents only, in batches, so that no call takes long. */
export async function storeRooms(count: number, members: number): Promise<void> {
  const batch = Math.min(1_000, Math.ceil(20_000 / members));
  for (let at = 0; at < count; at += batch) {
    const size = Math.min(batch, count - at);
    await rooms.unscoped.insertMany(Array.from({ length: size }, (_, index) => aStoredRoom(at + index, members)));
  }
}

/** The document of a room with this many members. */
export function aStoredRoom(index: number, members: number) {
  const name = `Room ${index}`;
  const _id = new ObjectId();
  const now = new Date();
  return {
    _id,
    name,
    name_key: `room ${index}\u0001${_id.toHexString()}`,
    is_open: true,
    is_visible: true,
    members: Array.from({ length: members }, () => ({
      _id: new ObjectId(),
      user: new ObjectId(),
      role: 'member' as const,
      joined_at: now,
    })),
    banned: [],
    seq: 0,
    message_count: 0,
    topic: '',
    created_at: now,
    created_by: new ObjectId(),
    changed_at: now,
    archived_at: null,
    last_message_at: null,
  };
}
