import type { ObjectId } from 'mongodb';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { findPersons, showPerson } from '../identity/persons.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { ExportFolder } from './folder.ts';
import { exportMessages, messagesOf, type Period } from './messages.ts';

type RoomOptions = { period: Period; progress: (done: number, all: number) => void };

/**
 * Exports a room, or all rooms, to a new folder: the members, the messages of a period, and their
 * files.
 */
export async function exportRooms(
  which: ObjectId | 'all',
  path: string,
  { period, progress }: RoomOptions,
): Promise<Record<string, number>> {
  const ids = which === 'all' ? await allRooms() : [which];
  const found = which === 'all' ? undefined : await rooms.findOne({ _id: which });
  if (found === null) throw noSuchRoom();
  const folder = await ExportFolder.create(path);
  const counts: Record<string, number> = { rooms: 0 };
  try {
    for (const [index, _id] of ids.entries()) {
      const room = found ?? (await rooms.findOne({ _id }));
      // Deleted during the export.
      if (!room) continue;
      const own = which === 'all' ? await folder.folder(_id.toHexString()) : folder;
      await exportRoom(room, own, period).finally(() => own.close());
      counts.rooms = (counts.rooms ?? 0) + 1;
      for (const [what, count] of Object.entries(own.counts)) counts[what] = (counts[what] ?? 0) + count;
      progress(index + 1, ids.length);
    }
  } finally {
    await folder.close();
  }
  return counts;
}

const allRooms = async (): Promise<ObjectId[]> =>
  (await rooms.find({}, { projection: { _id: 1 }, sort: { _id: 1 } }).toArray()).map(({ _id }) => _id);

async function exportRoom(room: RoomDocument, folder: ExportFolder, period: Period): Promise<void> {
  const persons = await findPersons(room.members.map(({ user }) => user));
  const members = room.members.map(({ user, role, joined_at }) => {
    const { username, name } = showPerson(persons.get(user.toHexString()));
    return { username, ...(name !== undefined && { name }), role, joined_at };
  });
  await folder.write('room.json', {
    ...{ _id: room._id.toHexString(), name: room.name, topic: room.topic },
    ...{ is_open: room.is_open, is_visible: room.is_visible, is_direct: room.is_direct === true },
    ...{ created_at: room.created_at, archived_at: room.archived_at },
    ...{ since: period.since ?? null, before: period.before ?? null, members },
  });
  await folder.add('messages', []);
  for await (const some of messagesOf(room._id, {}, period)) await folder.add('messages', await exportMessages(some, folder));
}
