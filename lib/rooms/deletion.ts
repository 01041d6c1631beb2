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
import { noSuchRoom } from './permissions.ts';
import { type ShownRoom, shownRoom } from './rooms.ts';

/** For how many milliseconds one request goes on deleting: well under its deadline. */
export const deletionTime = 6_000;

type DeletionOptions = {
  time?: number;
  precondition?: Precondition | undefined;
  /** The last place of the room: nothing may have happened in it since. */
  seq?: number;
};

/**
 * Deletes a room with its messages, files, events, read markers and what was saved of it; 404 for an unknown id. The
 * room is marked first, after which nobody finds it, and goes last. A deletion that is cut off, or runs out of time (503), is continued by
 * deleting again, or by `finishRoomDeletions()`. A precondition is about the room before it was marked.
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
  // A message or an event whose `seq` was taken just before the mark may have been written since.
  await deleteSome(room);
}

/** Continues the deletions of rooms that were cut off; returns how many there were. */
export async function finishRoomDeletions(): Promise<number> {
  const unfinished = await rooms.unscoped.find({ deleting_at: { $exists: true } }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of unfinished) await deleteRoom(_id);
  return unfinished.length;
}

/** Marks a room as being deleted, and returns it as it was before. */
const mark = (
  room: ObjectId,
  precondition: Precondition | undefined,
  seq: number | undefined,
): Promise<Pick<RoomDocument, 'members'>> =>
  // Each further attempt takes someone else's change between the read and the update.
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

/** The part of a filter that says that nothing has happened in the room since the precondition was met. */
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

// How many of a kind one command deletes: few enough for others not to wait for it.
const batchSize = 500;

/** Deletes a batch of each kind; returns whether there was anything to delete. */
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

/** Deletes a batch of what was saved of a room. */
async function deleteSaved(room: ObjectId): Promise<number> {
  const some = await saved.find({ room }, { projection: { _id: 1 }, limit: batchSize }).toArray();
  if (some.length === 0) return 0;
  return (await saved.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } })).deletedCount;
}
