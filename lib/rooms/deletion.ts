import type { Collection, Document, Filter, ObjectId } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import { attempt } from '../base/deadline.ts';
import { serviceUnavailable } from '../base/errors.ts';
import { webhookAccounts } from '../collections/accounts/users.ts';
import { webhookStates } from '../collections/delivery/webhook-states.ts';
import { events } from '../collections/rooms/events.ts';
import { messages } from '../collections/rooms/messages.ts';
import { notifications } from '../collections/rooms/notifications.ts';
import { readMarkers } from '../collections/rooms/read-markers.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { saved } from '../collections/rooms/saved.ts';
import { followedThreads } from '../collections/rooms/threads.ts';
import { forgetAvatar } from '../files/avatars.ts';
import { removeSomeFiles } from '../files/removal.ts';
import { notify } from '../notices/notices.ts';
import { noSuchRoom } from './contexts.ts';
import { type ShownRoom, shownRoom } from './rooms.ts';

/** The longest time of a deletion in one request, in milliseconds; well below its deadline. */
export const deletionTime = 6_000;

type DeletionOptions = {
  time?: number;
  precondition?: Precondition | undefined;
  /** The last place of the room. If anything has happened since, the deletion fails. */
  seq?: number;
};

/**
 * Deletes a room with its messages, files, events, read markers and saved messages; 404 for an
 * unknown id. The room is first marked, which hides it, and is removed last. A deletion that was
 * interrupted or ran out of time (503) is continued by deleting again, or by
 * `finishRoomDeletions()`. A precondition is checked before the room is marked.
 */
export async function deleteRoom(
  room: ObjectId,
  { time = Number.POSITIVE_INFINITY, precondition, seq }: DeletionOptions = {},
): Promise<void> {
  const end = performance.now() + time;
  const { members } = await mark(room, precondition, seq);
  const users = members.map(({ user }) => user.toHexString());
  notify({ type: 'gone', room: room.toHexString(), users });

  while (await deleteSome(room)) {
    if (performance.now() > end) throw serviceUnavailable('The room is being deleted: repeat the request to continue.');
  }
  await rooms.unscoped.deleteOne({ _id: room });
  // A message or event that reserved its `seq` just before the mark may have been written since.
  await deleteSome(room);
}

/** Continues interrupted deletions of rooms, and returns their number. */
export async function finishRoomDeletions(): Promise<number> {
  const unfinished = await rooms.unscoped.find({ deleting_at: { $exists: true } }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of unfinished) await deleteRoom(_id);
  return unfinished.length;
}

/** Marks a room for deletion, and returns its state before. */
const mark = (
  room: ObjectId,
  precondition: Precondition | undefined,
  seq: number | undefined,
): Promise<Pick<RoomDocument, 'members'>> =>
  // Each further attempt requires a concurrent change between the read and the update.
  attempt({ times: 10 }, async () => {
    const seen = precondition ? await asSeen(room, precondition) : seq === undefined ? {} : { seq };
    const marked = await rooms.unscoped.findOneAndUpdate({ _id: room, ...seen }, marking, {
      returnDocument: 'before',
      projection: { 'members.user': 1 },
    });
    if (!marked && !precondition) throw noSuchRoom();
    return marked ?? undefined;
  });

const emptied = { members: [], banned: [], is_open: false, is_visible: false };
const marking = { $set: emptied, $unset: { direct_key: '' }, $currentDate: { deleting_at: true } } as const;

/** The condition that the room has not changed since the precondition was met. */
async function asSeen(room: ObjectId, precondition: Precondition) {
  const projection = { ...shownRoom.reads, seq: 1, deleting_at: 1 };
  const found = await rooms.unscoped.findOne<ShownRoom & Pick<RoomDocument, 'seq' | 'deleting_at'>>(
    { _id: room },
    { projection },
  );
  if (!found) throw noSuchRoom();
  if (!found.deleting_at) precondition(shownRoom.show(found));
  return { seq: found.seq };
}

// The most items that one command deletes. It is small, so that other requests do not wait.
const batchSize = 500;

/** Deletes a batch of each kind. Returns true if there was anything to delete. */
async function deleteSome(room: ObjectId): Promise<boolean> {
  const deleted = await Promise.all([
    deleteBatch(messages.unscoped, room),
    deleteBatch(events, room),
    removeSomeFiles({ room }),
    readMarkers.deleteMany({ '_id.room': room }).then(({ deletedCount }) => deletedCount),
    deleteSaved(room),
    forgetAvatar(room).then(() => 0),
    notifications.deleteMany({ room }).then(({ deletedCount }) => deletedCount),
    followedThreads.deleteMany({ room }).then(({ deletedCount }) => deletedCount),
    webhookAccounts.deleteMany({ webhook_of: room }).then(({ deletedCount }) => deletedCount),
    webhookStates.deleteMany({ room }).then(({ deletedCount }) => deletedCount),
  ]);
  return deleted.some((count) => count > 0);
}

async function deleteBatch<T extends Document & { room: ObjectId; seq: number }>(
  collection: Collection<T>,
  room: ObjectId,
): Promise<number> {
  const inRoom = { room } as Filter<T>;
  const last = await collection.findOne(inRoom, { projection: { seq: 1 }, sort: { seq: 1 }, skip: batchSize - 1 });
  const { deletedCount } = await collection.deleteMany(last ? { ...inRoom, seq: { $lte: last.seq } } : inRoom);
  return deletedCount;
}

/** Deletes a batch of saved messages of a room. */
async function deleteSaved(room: ObjectId): Promise<number> {
  const some = await saved.find({ room }, { projection: { _id: 1 }, limit: batchSize }).toArray();
  if (some.length === 0) return 0;
  return (await saved.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } })).deletedCount;
}
