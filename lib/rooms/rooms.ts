import type { Document, Filter, IndexDescription } from 'mongodb';
import { ObjectId } from 'mongodb';
import { type Id, idSchema, showId } from '../api/extended-json.ts';
import { replay, type SentOnce } from '../api/idempotency.ts';
import { inOneBatch, type Page } from '../api/pages.ts';
import { oneOf, text } from '../api/parameters.ts';
import { aFlag, aText, aWord, listOf, record } from '../api/schema.ts';
import { shareText } from '../api/shared-json.ts';
import { fulfilled, shared, together } from '../database/batching.ts';
import { database, isDuplicateKey, writtenTogether } from '../database/client.ts';
import { answerTooLarge, notFound } from '../errors.ts';
import type { Answer } from '../http/operation.ts';
import { largestResponse } from '../http/request.ts';
import type { Caller } from '../identity/tokens.ts';

/** What a member may do in a room. */
export type Role = 'owner' | 'moderator' | 'member';

/** A member, as its room keeps it. */
export type MemberDocument = { _id: ObjectId; user: ObjectId; role: Role; joined_at: Date };

/** A room with its members: who is in it and what they may do is changed by updates of this one document. */
export type RoomDocument = {
  _id: ObjectId;
  name: string;
  /** What the directory is ordered, searched and paged by: the name in lower case and, as names are not unique, the id. */
  name_key: string;
  is_open: boolean;
  is_visible: boolean;
  members: MemberDocument[];
  banned: ObjectId[];
  seq: number;
  message_count: number;
  topic: string;
  created_at: Date;
  created_by: ObjectId;
  /** When it or its members changed last, by the database's clock, as all its times are. */
  changed_at: Date;
  archived_at: Date | null;
  last_message_at: Date | null;
  /** The ordinals of the messages that were counted and then never came, the latest hundred; and how many there were in all. */
  lost?: number[];
  lost_count?: number;
  /** Since when the room and all that is in it is being deleted: it is as not there for everyone. */
  deleting_at?: Date;
} & Partial<SentOnce>;

/** A room as the API shows it: exactly these five fields. */
export type Room = { _id: Id; name: string; members: Id[]; is_open: boolean; is_visible: boolean };

export const roleSchema = aWord<Role>('owner', 'moderator', 'member');

export const roomSchema = record<Room>('Room', {
  _id: idSchema,
  name: aText,
  members: listOf(idSchema),
  is_open: aFlag,
  is_visible: aFlag,
});

export const roomIndexes: IndexDescription[] = [
  { key: { 'members.user': 1 }, name: 'members.user' },
  { key: { 'members._id': 1 }, name: 'members._id' },
  { key: { is_visible: 1, name_key: 1 }, name: 'is_visible, name_key' },
  {
    key: { created_by: 1, idempotency_key: 1 },
    name: 'created_by, idempotency_key',
    unique: true,
    partialFilterExpression: { idempotency_key: { $exists: true } },
  },
];

/** A member's role. */
export const memberRole = oneOf('owner', 'moderator', 'member');

/** A room's name. */
export const roomName = text(1, 100);

/** The rooms themselves, for the modules that hold their members, messages and events. */
export const rooms = database.collection<Omit<RoomDocument, '_id'>>('rooms');

/** What every look at rooms must ask for: that they are not being deleted. */
export const isThere = { deleting_at: null } as unknown as Filter<Omit<RoomDocument, '_id'>>;

/** What a name is ordered and found by, whatever its case. */
export const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

/** The key of one room among all; U+0001, which no name has, comes before whatever a longer name goes on with. */
export const roomKey = (name: string, id: ObjectId): string => `${nameKey(name)}\u0001${id.toHexString()}`;

/** Every room, or, by the order of their ids, a page of them and one more. */
export const listRooms = (page?: Page): Promise<Room[]> =>
  sharedLists(page ? `${page.limit} ${page.after?.toHexString()}` : 'all', () => readRooms(page));

const sharedLists = shared<Room[]>();

async function readRooms(page: Page | undefined): Promise<Room[]> {
  const filter = page?.after ? { ...isThere, _id: { $gt: page.after } } : isThere;
  const options = { projection: shownFields, sort: { _id: 1 as const }, ...(page && inOneBatch(page.limit)) };
  const found = rooms.find(filter, options);
  if (page) return (await found.toArray()).map(showRoom);

  const all: Room[] = [];
  let size = 0;
  while (await found.hasNext()) {
    const batch = found.readBufferedDocuments();
    size += batch.reduce((sum, room) => sum + sizeOf(room), 0);
    if (size > largestList) {
      await found.close();
      throw answerTooLarge();
    }
    for (const room of batch) all.push(showRoom(room));
  }
  return shareText(all);
}

/** Makes a room whose one member, and owner, is its creator. */
export async function createRoom(name: string, creator: ObjectId, once?: Required<SentOnce>): Promise<Room> {
  const _id = new ObjectId();
  const owner = { _id: new ObjectId(), user: creator, role: 'owner', joined_at: '$$NOW' };
  const room = {
    name: { $literal: name },
    name_key: { $literal: roomKey(name, _id) },
    is_open: true,
    is_visible: true,
    members: [owner],
    banned: [],
    seq: 0,
    message_count: 0,
    topic: '',
    created_at: '$$NOW',
    created_by: creator,
    changed_at: '$$NOW',
    archived_at: null,
    last_message_at: null,
    ...(once && { idempotency_key: { $literal: once.idempotency_key }, request_hash: once.request_hash }),
  };
  await insertRoom({ _id, room });
  return showRoom({ _id, name, members: [{ user: creator }], is_open: true, is_visible: true });
}

// Upserts where inserts would do: only an update can ask for the database's time.
const insertRoom = together(async (made: { _id: ObjectId; room: Document }[]) => {
  const updates = made.map(({ _id, room }) => ({ filter: { _id }, update: [{ $set: room }], upsert: true }));
  const [first, ...others] = updates;
  if (first && others.length === 0)
    return [fulfilled(void (await rooms.updateOne(first.filter, first.update, { upsert: true })))];
  return writtenTogether(
    updates.length,
    rooms.bulkWrite(
      updates.map((updateOne) => ({ updateOne })),
      { ordered: false },
    ),
  );
});

/** The same for a request with a key: when it was used before, it is the room made then. */
export async function createRoomOnce(name: string, creator: ObjectId, once: Required<SentOnce>): Promise<Room | Answer<Room>> {
  const find = () => rooms.findOne<ShownRoom & SentOnce>({ created_by: creator, idempotency_key: once.idempotency_key });
  const first = await find();
  if (first) return replay(first, once, showRoom(first));
  try {
    return await createRoom(name, creator, once);
  } catch (error) {
    // The same request was here at the same time, or the driver sent it again after its connection had broken.
    const made = isDuplicateKey(error) ? await find() : null;
    if (!made) throw error;
    return replay(made, once, showRoom(made));
  }
}

/** The room, if the caller may see it; 404 if not, or if there is none. */
export async function findRoom(room: ObjectId, caller: Caller['user']): Promise<Room> {
  const mayBeSeen = caller.is_admin ? {} : { $or: [{ is_visible: true }, { 'members.user': caller._id }] };
  const found = await rooms.findOne({ ...isThere, ...mayBeSeen, _id: room }, { projection: shownFields });
  if (!found) throw notFound('room');
  return showRoom(found);
}

/** What `showRoom` needs. */
export type ShownRoom = Pick<RoomDocument, '_id' | 'name' | 'is_open' | 'is_visible'> & { members: { user: ObjectId }[] };

/** The projection to a `ShownRoom`. */
export const shownFields = { name: 1, 'members.user': 1, is_open: 1, is_visible: 1 };

/** The room as the API shows it. */
export const showRoom = ({ _id, name, members, is_open, is_visible }: ShownRoom): Room => ({
  _id: showId(_id),
  name,
  members: members.map(({ user }) => showId(user)),
  is_open,
  is_visible,
});

// The bytes of a room in JSON, about. No compression makes a list of four times what a response carries fit, or worth the memory.
const sizeOf = ({ name, members }: ShownRoom) => 108 + name.length + 36 * members.length;
const largestList = 4 * largestResponse;
