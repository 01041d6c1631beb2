import type { Document } from 'mongodb';
import { ObjectId } from 'mongodb';
import { idSchema, showId } from '../api/extended-json.ts';
import { type CreationResult, type IdempotencyFields, type IdempotencyKey, requireSameRequest } from '../api/idempotency.ts';
import { limits } from '../api/limits.ts';
import { type ListPage, type Page, pageById, withOneMore } from '../api/pages.ts';
import { about, flag, nameText } from '../api/parameters.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aFlag, aText, described, listOf } from '../api/schema.ts';
import { SerialisedJson } from '../api/serialised-json.ts';
import { answerTooLarge } from '../base/errors.ts';
import { newRoom, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { batchWrites, fulfilled, singleFlight } from '../database/batching.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { outcomesOf } from '../database/writes.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { notify } from '../notices/notices.ts';
import { noSuchRoom } from './contexts.ts';

/** The stored fields that the API shows of a room. */
export type ShownRoom = Pick<RoomDocument, '_id' | 'name' | 'is_open' | 'is_visible'> & { members: { user: ObjectId }[] };

const { as, ownId, made, representation } = shownFrom<ShownRoom>();

/** The room field of other representations. */
export const aRoomId = described('The id of the room.', idSchema);

/** A room's name, and its flags. */
export const roomName = about('The name of the room. Names need not be unique.', nameText(1, 100));
export const isOpen = about('Whether all users who see the room may join it.', flag);
export const isVisible = about('Whether non-members see the room, also in the directory.', flag);

/** A room as the API shows it: exactly these five fields. */
export const shownRoom = representation('Room', {
  _id: ownId,
  name: as(described('The name, which need not be unique; empty for a direct conversation.', aText), 'name'),
  members: made(
    described('The ids of the members, the oldest membership first.', listOf(idSchema)),
    ({ members }) => members.map(({ user }) => showId(user)),
    { 'members.user': 1 },
  ),
  is_open: as(described(isOpen.about, aFlag), 'is_open'),
  is_visible: as(described(isVisible.about, aFlag), 'is_visible'),
});
export type Room = ShownBy<typeof shownRoom>;

/** The key that sorts and finds a name regardless of case. */
const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * The key of one room among all; U+0001, which no name has, sorts before whatever a longer name
 * continues with.
 */
export const roomKey = (name: string, id: ObjectId): string => `${nameKey(name)}\u0001${id.toHexString()}`;

/** A page of the rooms, by the order of their ids. */
export async function listRooms({ limit, after }: Page): Promise<ListPage<Room>> {
  const options = { projection: shownRoom.reads, sort: { _id: 1 as const }, ...withOneMore(limit) };
  const found = await rooms.find<ShownRoom>(after ? { _id: { $gt: after } } : {}, options).toArray();
  return pageById(found, limit, shownRoom.show);
}

/** All rooms, by the order of their ids; 413 for more than a response can carry. */
export const listAllRooms = (): Promise<SerialisedJson<Room[]>> => sharedList('', readAllRooms);

const sharedList = singleFlight<SerialisedJson<Room[]>>();

async function readAllRooms(): Promise<SerialisedJson<Room[]>> {
  const found = rooms.find<ShownRoom>({}, { projection: shownRoom.reads, sort: { _id: 1 } });
  const all: string[] = [];
  let size = 0;
  while (await found.hasNext()) {
    for (const room of found.readBufferedDocuments()) {
      const json = JSON.stringify(shownRoom.show(room));
      all.push(json);
      size += json.length;
    }
    if (size > largestList) {
      await found.close();
      throw answerTooLarge();
    }
  }
  return new SerialisedJson(`[${all.join()}]`);
}

// A list of four times what a response carries is not worth its memory: no compression makes it
// fit.
const largestList = 4 * limits.response;

/** The fields of a new room that its creator chooses. */
export type WantedRoom = {
  name: string;
  topic?: string | undefined;
  is_open?: boolean | undefined;
  is_visible?: boolean | undefined;
};

type CreationOptions = {
  key?: IdempotencyKey | undefined;
  /** Refuses a new room; a repeated request passes. */
  admit?: () => Promise<void>;
};

/**
 * Creates a room. The creator is its owner and its only member. If the key was used before, the
 * result is the room as it was created then, even if the creator has left it since.
 */
export async function createRoom(
  wanted: WantedRoom,
  creator: ObjectId,
  { key, admit }: CreationOptions = {},
): Promise<CreationResult<Room>> {
  const first = key && (await findCreated(creator, key));
  if (first) return replay(first, wanted, creator, key);
  await admit?.();
  if (!key) return { value: await insertRoom(wanted, creator), isReplay: false };
  try {
    const { idempotency_key, request_hash } = key;
    const own = { idempotency_key: { $literal: idempotency_key }, request_hash };
    return { value: await insertRoom(wanted, creator, own), isReplay: false };
  } catch (error) {
    // A concurrent request with the same key created it, or the driver repeated the insert after
    // its connection broke.
    const created = isDuplicateKey(error) ? await findCreated(creator, key) : null;
    if (!created) throw error;
    return replay(created, wanted, creator, key);
  }
}

/** Creates a room that every new account joins. */
export const createDefaultRoom = (name: string, creator: ObjectId): Promise<Room> =>
  insertRoom({ name }, creator, { is_default: true });

const findCreated = (creator: ObjectId, { idempotency_key }: IdempotencyKey) =>
  rooms.unscoped.findOne<{ _id: ObjectId } & IdempotencyFields>(
    { created_by: creator, idempotency_key },
    { projection: { idempotency_key: 1, request_hash: 1 } },
  );

type CreatedRoom = NonNullable<Awaited<ReturnType<typeof findCreated>>>;

function replay(first: CreatedRoom, wanted: WantedRoom, creator: ObjectId, key: IdempotencyKey): CreationResult<Room> {
  requireSameRequest(first, key);
  return { value: asCreated(first._id, wanted, creator), isReplay: true };
}

/** A room as its creator sees it first. */
const asCreated = (
  _id: ObjectId,
  { name, is_open = newRoom.is_open, is_visible = newRoom.is_visible }: WantedRoom,
  creator: ObjectId,
): Room => shownRoom.show({ _id, name, members: [{ user: creator }], is_open, is_visible });

/** Inserts a room; `own` are the fields that not every room has. */
async function insertRoom(wanted: WantedRoom, creator: ObjectId, own: Document = {}): Promise<Room> {
  const { name, topic = newRoom.topic, is_open = newRoom.is_open, is_visible = newRoom.is_visible } = wanted;
  const _id = new ObjectId();
  const owner = { _id: new ObjectId(), user: creator, role: 'owner', joined_at: '$$NOW' };
  await insertTogether({
    _id,
    fields: {
      name: { $literal: name },
      name_key: { $literal: roomKey(name, _id) },
      members: [owner],
      created_by: creator,
      ...newRoom,
      topic: { $literal: topic },
      is_open,
      is_visible,
      ...own,
    },
  });
  notify({ type: 'moved', room: _id.toHexString(), seq: 0, joined: [creator.toHexString()] });
  return asCreated(_id, wanted, creator);
}

// Upserts where inserts would do: only an update can ask for the database's time.
const insertTogether = batchWrites(async (created: { _id: ObjectId; fields: Document }[]) => {
  const updates = created.map(({ _id, fields }) => ({ filter: { _id }, update: [{ $set: fields }], upsert: true }));
  const [first, ...others] = updates;
  if (first && others.length === 0)
    return [fulfilled(void (await rooms.unscoped.updateOne(first.filter, first.update, { upsert: true })))];
  return outcomesOf(
    updates.length,
    rooms.unscoped.bulkWrite(
      updates.map((updateOne) => ({ updateOne })),
      { ordered: false },
    ),
  );
});

/**
 * The part of a filter that says that a caller sees a room: it is visible, or has the caller as a
 * member.
 */
export const seenBy = (caller: Caller) =>
  isAdmin(caller) ? {} : { $or: [{ is_visible: true }, { 'members.user': caller.user._id }] };

/** The room, if the caller may see it; 404 if not, or if it does not exist. */
export async function findRoom(room: ObjectId, caller: Caller): Promise<Room> {
  const found = await rooms.findOne<ShownRoom>({ ...seenBy(caller), _id: room }, { projection: shownRoom.reads });
  if (!found) throw noSuchRoom();
  return shownRoom.show(found);
}
