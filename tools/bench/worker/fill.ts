import { ObjectId } from 'mongodb';
import { createUser } from '../../../lib/accounts/accounts.ts';
import { createToken } from '../../../lib/accounts/api-tokens.ts';
import { type MessageDocument, messages } from '../../../lib/collections/messages.ts';
import { newRoom, type RoomDocument, rooms } from '../../../lib/collections/rooms.ts';
import { database } from '../../../lib/database/client.ts';
import { ensureIndexes } from '../../../lib/prepare.ts';
import { moveReadMarker } from '../../../lib/rooms/read-markers.ts';
import { roomKey } from '../../../lib/rooms/rooms.ts';
import type { Dataset } from '../operations.ts';

/** The size of a dataset. */
export type Size = {
  rooms: number;
  /** How many of them the caller is a member of. */
  ownRooms: number;
  /** How many members and messages the first of them has. */
  members: number;
  messages: number;
  /** How many members each other room has; a few by default. */
  membersOfOthers?: number;
};

const authorCount = 10;
const fewMembers = 5;
const batchSize = 2000;
/** Old enough that no feed waits for anything, and young enough that no event has expired. */
const startedAt = Date.now() - 20 * 86_400_000;

/** Fills a dataset with the documents that the service would store. */
export async function fill(size: Size): Promise<Dataset> {
  await database.dropDatabase();
  await ensureIndexes();
  const names = Array.from({ length: authorCount }, (_, i) => `author-${i}`);
  const authors = await Promise.all(names.map(async (name, i) => new ObjectId((await createAuthor(name, i === 0))._id.$oid)));
  const caller = authors[0] as ObjectId;
  const { token } = await createToken(caller, 'bench');

  const first = { ...aRoom(0, caller, size.members), seq: size.messages, message_count: size.messages };
  await rooms.unscoped.insertOne(first);
  await addRooms(1, size.ownRooms, caller, size.membersOfOthers);
  await addRooms(size.ownRooms, size.rooms, authors[1] as ObjectId, size.membersOfOthers);
  await addMessages(first._id, authors, size.messages);
  const own = await rooms.find({ 'members.user': caller }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of own) await moveReadMarker(_id, caller, 0, 0);
  return { token, room: first._id.toHexString(), seq: size.messages };
}

async function addRooms(from: number, to: number, owner: ObjectId, members = fewMembers): Promise<void> {
  const roomsPerBatch = Math.ceil(batchSize / members);
  for (let i = from; i < to; i += roomsPerBatch) {
    const batch = Array.from({ length: Math.min(roomsPerBatch, to - i) }, (_, j) => aRoom(i + j, owner, members));
    await rooms.unscoped.insertMany(batch);
  }
}

async function addMessages(room: ObjectId, authors: ObjectId[], count: number): Promise<void> {
  for (let i = 0; i < count; i += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, count - i) }, (_, j) => aMessage(room, authors, i + j + 1));
    await messages.unscoped.insertMany(batch, { ordered: false });
  }
}

const createAuthor = (username: string, is_admin: boolean) =>
  createUser({ username, email: `${username}@example.org`, password: 'a long password', is_admin });

function aRoom(number: number, owner: ObjectId, members: number): RoomDocument {
  const _id = new ObjectId();
  const at = new Date(startedAt + number * 1000);
  const name = `Room ${number}`;
  return {
    ...newRoom,
    _id,
    name,
    name_key: roomKey(name, _id),
    members: Array.from({ length: members }, (_, i) => ({
      _id: new ObjectId(),
      user: i === 0 ? owner : new ObjectId(),
      role: i === 0 ? 'owner' : 'member',
      joined_at: at,
    })),
    created_at: at,
    created_by: owner,
    changed_at: at,
  };
}

const aMessage = (room: ObjectId, authors: ObjectId[], number: number): MessageDocument => ({
  _id: new ObjectId(),
  room,
  seq: number,
  ordinal: number,
  user: authors[number % authors.length] as ObjectId,
  text: `This is the message with the number ${number}, as long as such messages commonly are.`,
  created_at: new Date(startedAt + number),
  edited_at: null,
  deleted_at: null,
  thread: null,
  mentions: [],
  reactions: [],
  pinned_at: null,
});
