import type { ObjectId, UpdateFilter } from 'mongodb';
import { LruCache } from '../base/lru-cache.ts';
import { messages } from '../collections/rooms/messages.ts';
import { type ReadMarkerDocument, type RoomNews, readMarkers } from '../collections/rooms/read-markers.ts';
import { retryContended } from '../database/engines.ts';
import { inBatches } from '../database/writes.ts';
import { type HighestPlaces, highestOf, notedOf, storeNotes } from './notes.ts';

/** A user's read position in a room, and their preferences for it. */
export type ReadMarker = {
  seq: number;
  ordinal: number;
  mentioned: number;
  isMuted: boolean;
  notifyOf: RoomNews | undefined;
  isFavourite: boolean;
  favouriteOrder: number | undefined;
};

/** A read marker with the number of unread mentions, and of deleted messages after it. */
export type ReadState = ReadMarker & { mentions: number; deleted: number };

/** The counters of a room that are needed here. */
type RoomCounts = { _id: ObjectId; last_deleted?: number };

/** The most unread mentions that are counted. */
export const mostMentions = 100;

/** The read state of a user in a room. */
export async function findReading(room: RoomCounts, user: ObjectId): Promise<ReadState> {
  return readingOf(room, user, await findMarker(room._id, user));
}

/** The read marker of a user in a room. */
export async function findMarker(room: ObjectId, user: ObjectId): Promise<ReadMarker> {
  const noted = notedOf(room, user);
  return markerOf(await readMarkers.findOne({ _id: { room, user } }), noted);
}

/**
 * The read states of a user in these rooms, in their order. `mayBeAll` states that these may be
 * most of the user's rooms.
 */
export async function findReadings(rooms: RoomCounts[], user: ObjectId, mayBeAll: boolean): Promise<ReadState[]> {
  const noted = rooms.map(({ _id }) => notedOf(_id, user));
  const found =
    (mayBeAll && (await readAll(user, 2 * rooms.length + 10))) ||
    (await readEach(
      rooms.map(({ _id }) => _id),
      user,
    ));
  const markers = new Map(found.map((marker) => [marker._id.room.toHexString(), marker]));
  return Promise.all(rooms.map((room, at) => readingOf(room, user, markerOf(markers.get(room._id.toHexString()), noted[at]))));
}

const readEach = (rooms: ObjectId[], user: ObjectId) =>
  readMarkers.find({ _id: { $in: rooms.map((room) => ({ room, user })) } }, { batchSize: rooms.length + 1 }).toArray();

/** The read markers of a user in these rooms, by the rooms' ids in hexadecimal. */
export async function findMarkersIn(rooms: ObjectId[], user: ObjectId): Promise<Map<string, ReadMarker>> {
  const noted = rooms.map((room) => notedOf(room, user));
  const stored = new Map((await readEach(rooms, user)).map((marker) => [marker._id.room.toHexString(), marker]));
  return new Map(rooms.map((room, at) => [room.toHexString(), markerOf(stored.get(room.toHexString()), noted[at])] as const));
}

/** The read markers of these users in a room, by the users' ids in hexadecimal. */
export async function findMarkers(room: ObjectId, users: ObjectId[]): Promise<Map<string, ReadMarker>> {
  const found = await readMarkers.find({ _id: { $in: users.map((user) => ({ room, user })) } }).toArray();
  const stored = new Map(found.map((marker) => [marker._id.user.toHexString(), marker]));
  return new Map(
    users.map((user) => [user.toHexString(), markerOf(stored.get(user.toHexString()), notedOf(room, user))] as const),
  );
}

/** The users among these who have read a room up to a place. */
export async function findReaders(room: ObjectId, seq: number, users: ObjectId[]): Promise<ObjectId[]> {
  if (users.length === 0) return [];
  const noted = users.map((user) => notedOf(room, user));
  const ids = users.map((user) => ({ room, user }));
  const found = await readMarkers.find({ _id: { $in: ids }, seq: { $gte: seq } }).toArray();
  return users.filter((user, at) => (noted[at]?.seq ?? 0) >= seq || found.some(({ _id }) => _id.user.equals(user)));
}

/**
 * All markers of a user, by one range of an index. Returns undefined if there are `most` or more,
 * because it is then faster to look up the marker of each room.
 */
async function readAll(user: ObjectId, most: number): Promise<ReadMarkerDocument[] | undefined> {
  const key = user.toHexString();
  if (most <= (tooFew.get(key) ?? 0)) return undefined;
  const found = await readMarkers.find({ '_id.user': user }, { limit: most, batchSize: most }).toArray();
  if (found.length < most) return found;
  tooFew.set(key, most);
  return undefined;
}

/** By user id, a number of markers that was too small to have all of them. */
const tooFew = new LruCache<number>(10_000);

/**
 * Counts the unread mentions and the deleted messages after the marker. It uses indexes, and only
 * if there may be some.
 */
export function readingOf(
  { _id: room, last_deleted = 0 }: RoomCounts,
  user: ObjectId,
  marker: ReadMarker,
): ReadState | Promise<ReadState> {
  const { seq, mentioned } = marker;
  if (mentioned <= seq && last_deleted <= seq) return { ...marker, mentions: 0, deleted: 0 };
  const counted = [
    mentioned > seq ? countMentions(room, user, seq) : 0,
    last_deleted > seq ? messages.unscoped.countDocuments({ room, is_deleted: true, ...inRoom, seq: { $gt: seq } }) : 0,
  ] as const;
  return Promise.all(counted).then(([mentions, deleted]) => ({ ...marker, mentions, deleted }));
}

// Replies that appear only in threads are counted with their threads.
const inRoom = { is_folded: { $exists: false } };

/**
 * Counts the mentions in messages after a place, and those that edits have added after it to
 * earlier messages.
 */
async function countMentions(room: ObjectId, user: ObjectId, seq: number): Promise<number> {
  const late = { room, 'late_mentions.user': user, late_mentions: { $elemMatch: { user, seq: { $gt: seq } } } };
  const [mentions, added] = await Promise.all([
    messages.unscoped.countDocuments({ room, mentions: user, ...inRoom, seq: { $gt: seq } }, { limit: mostMentions }),
    messages.unscoped.countDocuments({ ...late, seq: { $lte: seq } }, { limit: mostMentions }),
  ]);
  return Math.min(mostMentions, mentions + added);
}

/**
 * Moves a user's marker forward to a `seq`, never backward. `ordinal` is the number of messages up
 * to it. Returns the marker.
 */
export const moveReadMarker = (room: ObjectId, user: ObjectId, seq: number, ordinal: number): Promise<ReadMarker> =>
  change(room, user, { $max: { seq, ordinal } });

/**
 * Moves the marker of a user who has just joined, perhaps again, forward to a `seq`. Earlier
 * preferences for the room are reset.
 */
export const startReading = (room: ObjectId, user: ObjectId, seq: number, ordinal: number): Promise<ReadMarker> =>
  change(room, user, { $max: { seq, ordinal }, $unset: { is_muted: '', notify_of: '', is_favourite: '', favourite_order: '' } });

/**
 * Moves a user's marker backward to a `seq`, never forward. `ordinal` is the number of messages up
 * to it. Returns the marker.
 */
export async function moveReadMarkerBack(room: ObjectId, user: ObjectId, seq: number, ordinal: number): Promise<ReadMarker> {
  const _id = { room, user };
  await storeNotes();
  const moved = await readMarkers.findOneAndUpdate(
    { _id, seq: { $gt: seq } },
    { $set: { seq, ordinal } },
    { returnDocument: 'after' },
  );
  return markerOf(moved ?? (await readMarkers.findOne({ _id })));
}

/** Deletes a user's read markers of all rooms. */
export async function deleteReadMarkers(user: ObjectId): Promise<void> {
  await storeNotes();
  await inBatches(readMarkers, { '_id.user': user }, (some) => readMarkers.deleteMany(some));
}

/** A user's preferences for a room. Omitted fields do not change. */
type RoomMarks = {
  is_muted?: boolean | undefined;
  notify_of?: RoomNews | null | undefined;
  is_favourite?: boolean | undefined;
  favourite_order?: number | undefined;
};

/**
 * Changes a user's preferences for a room, completely or not at all. Returns undefined for an order
 * if the room is not a favourite; another device may have changed that.
 */
export async function markRoom(room: ObjectId, user: ObjectId, marks: RoomMarks): Promise<ReadMarker | undefined> {
  const { is_muted, notify_of, is_favourite, favourite_order } = marks;
  const set = {
    ...(is_muted && { is_muted }),
    ...(notify_of && { notify_of }),
    ...(is_favourite && { is_favourite }),
    ...(favourite_order !== undefined && { favourite_order }),
  };
  const unset = {
    ...(is_muted === false && { is_muted: '' as const }),
    ...(notify_of === null && { notify_of: '' as const }),
    ...(is_favourite === false && { is_favourite: '' as const, favourite_order: '' as const }),
  };
  const update = {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
  };
  if (favourite_order === undefined || is_favourite) return change(room, user, update);
  const noted = notedOf(room, user);
  const where = { _id: { room, user }, is_favourite: true as const };
  const changed = await readMarkers.findOneAndUpdate(where, update, { returnDocument: 'after' });
  return changed ? markerOf(changed, noted) : undefined;
}

/** The number of messages of a room up to a `seq`, which may belong to an event. */
export async function countUpTo(room: ObjectId, seq: number): Promise<number> {
  const options = { projection: { ordinal: 1 }, sort: { seq: -1 as const } };
  // Tombstones may have an ordinal as well.
  return (await messages.unscoped.findOne({ room, seq: { $lte: seq }, ordinal: { $gt: 0 } }, options))?.ordinal ?? 0;
}

async function change(room: ObjectId, user: ObjectId, update: UpdateFilter<ReadMarkerDocument>): Promise<ReadMarker> {
  const noted = notedOf(room, user);
  // If two updates create the marker concurrently, one of them fails and is retried.
  return markerOf(
    await retryContended(() =>
      readMarkers.findOneAndUpdate({ _id: { room, user } }, update, { upsert: true, returnDocument: 'after' }),
    ),
    noted,
  );
}

/** The stored marker, if there is one, with the buffered changes. */
function markerOf(stored: ReadMarkerDocument | null | undefined, noted?: HighestPlaces): ReadMarker {
  const { _id, is_muted = false, notify_of, is_favourite = false, favourite_order, ...highest } = stored ?? { _id: undefined };
  const numbers = noted ? highestOf(highest, noted) : highest;
  const marks = { isMuted: is_muted, notifyOf: notify_of, isFavourite: is_favourite, favouriteOrder: favourite_order };
  return { seq: 0, ordinal: 0, mentioned: 0, ...numbers, ...marks };
}
