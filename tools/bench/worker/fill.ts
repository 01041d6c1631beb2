import { ObjectId } from 'mongodb';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { database } from '../../../lib/database/client.ts';
import { ensureIndexes } from '../../../lib/operating/prepare.ts';
import { moveReadMarker } from '../../../lib/rooms/read-markers.ts';
import type { Dataset } from '../operations.ts';
import { aMessage, anAccount, aRoom } from './documents.ts';

/** The size of a dataset. */
export type Size = {
  rooms: number;
  /** Rooms that the caller is a member of. */
  ownRooms: number;
  /** Members and messages of the first room. */
  members: number;
  messages: number;
  /** Members of each other room; a few by default. */
  membersOfOthers?: number;
  /**
   * Other people, who are members of the caller's rooms. Each also has an unlisted room with 200
   * messages.
   */
  people?: number;
};

const authorCount = 10;
const fewMembers = 5;
const batchSize = 2000;
const messagesOfPeople = 200;
/** Old enough that feeds do not wait for gaps, and recent enough that no event has expired. */
const startedAt = Date.now() - 20 * 86_400_000;

/** Fills a database with documents in the form in which the service stores them. */
export async function fill(size: Size): Promise<Dataset & { people: Dataset[] }> {
  await database.dropDatabase();
  await ensureIndexes();
  const names = Array.from({ length: authorCount }, (_, i) => `author-${i}`);
  const accounts = await Promise.all(names.map((name, i) => anAccount(name, i === 0)));
  const authors = accounts.map(({ id }) => id);
  const { id: caller, token } = accounts[0] as (typeof accounts)[number];

  const first = { ...numberedRoom(0, caller, size.members), seq: size.messages, message_count: size.messages };
  await rooms.unscoped.insertOne(first);
  await addRooms(1, size.ownRooms, caller, size.membersOfOthers);
  await addRooms(size.ownRooms, size.rooms, authors[1] as ObjectId, size.membersOfOthers);
  await addMessages(first._id, authors, size.messages);
  const own = await rooms.find({ 'members.user': caller }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of own) await moveReadMarker(_id, caller, 0, 0);
  const shared = { token, room: first._id.toHexString(), seq: size.messages };
  return { ...shared, people: await addPeople(size.people ?? 0, caller) };
}

async function addPeople(count: number, caller: ObjectId): Promise<Dataset[]> {
  const people: Dataset[] = [];
  for (let number = 0; number < count; number++) {
    const { id: user, token } = await anAccount(`person-${number}`);
    const member = { _id: new ObjectId(), user, role: 'member', joined_at: new Date(startedAt) } as const;
    await rooms.unscoped.updateMany({ 'members.user': caller }, { $push: { members: member } });
    const own = { ...numberedRoom(number, user, 1), is_visible: false, seq: messagesOfPeople, message_count: messagesOfPeople };
    await rooms.unscoped.insertOne(own);
    await addMessages(own._id, [user], messagesOfPeople);
    people.push({ token, room: own._id.toHexString(), seq: messagesOfPeople });
  }
  return people;
}

async function addRooms(from: number, to: number, owner: ObjectId, members = fewMembers): Promise<void> {
  const roomsPerBatch = Math.ceil(batchSize / members);
  for (let i = from; i < to; i += roomsPerBatch) {
    const batch = Array.from({ length: Math.min(roomsPerBatch, to - i) }, (_, j) => numberedRoom(i + j, owner, members));
    await rooms.unscoped.insertMany(batch);
  }
}

async function addMessages(room: ObjectId, authors: ObjectId[], count: number): Promise<void> {
  for (let i = 0; i < count; i += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, count - i) }, (_, j) => numberedMessage(room, authors, i + j + 1));
    await messages.unscoped.insertMany(batch, { ordered: false });
  }
}

const numberedRoom = (number: number, owner: ObjectId, members: number) =>
  aRoom([owner, ...Array.from({ length: members - 1 }, () => new ObjectId())], {
    name: `Room ${number}`,
    created_at: new Date(startedAt + number * 1000),
  });

const numberedMessage = (room: ObjectId, authors: ObjectId[], number: number) =>
  aMessage(room, authors[number % authors.length] as ObjectId, number, {
    text: `This is the message with the number ${number}, as long as such messages commonly are.`,
    created_at: new Date(startedAt + number),
  });
