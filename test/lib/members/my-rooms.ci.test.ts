import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { users } from '../../../lib/collections/accounts/users.ts';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { fillGap } from '../../../lib/messages/gaps.ts';
import { noteMentions } from '../../../lib/rooms/notes.ts';
import { placeOf, takePlace } from '../../../lib/rooms/sequence.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, memberId, succeed, type TestRoom } from '../../support/rooms.ts';
import { commandsOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';

useOwnDatabase();
await useDatabaseOutside();

const [admin, ann, bob, eve] = await Promise.all([anAdmin(), anAccount(), anAccount(), anAccount()]);

describe("the list of the caller's rooms", () => {
  it("the list of the caller's rooms shows each change to the next reader, by two queries", async () => {
    const reader = await anAccount();
    const [room, other, third] = await Promise.all(
      ['One', 'Two', 'Three'].map((name) => aRoom({ name, owner: ann, members: [reader, bob] })),
    );
    const [one, two] = [room, other] as [TestRoom, TestRoom];
    const mine = `/api/members/${await memberId(one, reader)}`;
    const asReader = (method: string, path: string, body?: object) =>
      succeed(call(method, path, { token: reader.token, ...(body && { body }) }));
    const asAnn = (method: string, path: string, body?: object) =>
      succeed(call(method, path, { token: ann.token, ...(body && { body }) }));
    const changes: [string, () => Promise<unknown>][] = [
      ['a message', () => aMessage(ann, two.id)],
      ['a message of the reader', () => aMessage(reader, one.id)],
      ['a mention', () => aMessage(ann, one.id, { text: `for @${reader.username}` })],
      ['read', () => asReader('PATCH', mine, { last_read: 4 })],
      ['unread again', () => asReader('PATCH', mine, { unread_from: 1 })],
      ['muted', () => asReader('PATCH', mine, { is_muted: true })],
      ['a message that was counted and never came', () => aLostMessage(one.id)],
      ['a name', () => asAnn('PATCH', one.path, { name: 'Other' })],
      ['a role', () => asAnn('PATCH', mine, { role: 'moderator' })],
      ['a deleted message', async () => asAnn('DELETE', `/api/messages/${(await aMessage(ann, one.id))._id.$oid}`)],
      ['a room that was joined', async () => addMember(await aRoom({ name: 'Four', owner: ann }), reader)],
      ['a conversation', () => asReader('POST', '/api/conversations', { users: [bob.username, eve.username] })],
      ['one whose account is deleted', () => users.updateOne({ _id: new ObjectId(eve.id) }, { $unset: { username: '' } })],
      ['a mention that is noted later', () => aLateMention(two.id, reader)],
      ['a change in the same millisecond as another', () => renamedAtOnce(one.id)],
      ['one who is blocked', () => blockedBy(reader)],
      ['a room that was left', () => asReader('DELETE', mine)],
      ['a room that is deleted', () => succeed(call('DELETE', two.path, { token: admin.token }))],
      ['out of a room', async () => asAnn('DELETE', `/api/members/${await memberId(third as TestRoom, reader)}`)],
    ];
    for (const [what, change] of changes) {
      const before = await list(reader);
      await change();
      const after = await list(reader);
      expect(after, what).not.toEqual(before);
      expect(after, what).toEqual(await readAnew(reader));
    }
    expect(await readsOf(reader)).toEqual([
      ['rooms', undefined],
      ['reads', undefined],
    ]);
  });

  it("the list of the caller's rooms shows the present state of someone with many read markers", async () => {
    const reader = await anAccount();
    const made: TestRoom[] = [];
    for (let n = 0; n < 13; n++) made.push(await aRoom({ name: `Room ${n}`, owner: reader }));
    for (const room of made) await succeed(mute(reader, room, true));
    const shown = async () => (await list(reader, 'limit=1')).map(({ is_muted }) => is_muted);
    expect(await shown()).toEqual([true]);
    expect(await shown()).toEqual([true]);
    for (const room of made) await succeed(mute(reader, room, false));
    expect(await shown()).toEqual([false]);
  });

  it("the list of the caller's rooms is whole and in order for everyone while rooms move, come and go", async () => {
    const readers = await Promise.all(Array.from({ length: 3 }, () => anAccount()));
    const kept = await Promise.all(['A', 'B', 'C'].map((name) => aRoom({ name, owner: ann, members: readers })));
    let isOver = false;
    const lists: ListedMembership[][] = [];
    const reading = readers.map(async (reader) => {
      while (!isOver) lists.push(await list(reader));
    });
    for (let round = 0; round < 10; round++) {
      const room = await aRoom({ name: `Round ${round}`, owner: ann, members: readers });
      await Promise.all([...kept, room].map(({ id }) => aMessage(ann, id)));
      for (const reader of readers) expect(await list(reader)).toEqual(await readAnew(reader));
      await Promise.all(readers.map((reader) => leave(reader, room)));
      for (const reader of readers) expect(await list(reader)).toHaveLength(3);
    }
    isOver = true;
    await Promise.all(reading);
    for (const one of lists) {
      const ids = one.map(({ _id }) => _id.$oid);
      expect(new Set(ids).size).toBe(ids.length);
      expect(one.map(({ room_name }) => room_name)).toEqual(expect.arrayContaining(['A', 'B', 'C']));
      for (const { unread, seq, last_read } of one) expect(unread).toBeLessThanOrEqual(seq - last_read);
    }
  });
});

type ListedMembership = {
  _id: { $oid: string };
  room_name: string;
  unread: number;
  seq: number;
  last_read: number;
  is_muted: boolean;
};

const list = async ({ token }: Account, query = '') =>
  (await succeed(call('GET', `/api/members?user=me&${query}`, { token }))).body as ListedMembership[];

/** Reads the list in a way that nothing is cached for. */
const readAnew = (reader: Account) => list(reader, `since=${new Date(0).toISOString()}`);

/**
 * The collections that were read for the list, and the number of rooms that were requested by id.
 */
const readsOf = async (reader: Account) =>
  (await commandsOf(() => list(reader)))
    .filter(({ collection }) => ['rooms', 'reads'].includes(collection))
    .map(({ collection, command }) => [collection, command.filter._id?.$in.length]);

async function blockedBy(reader: Account): Promise<void> {
  const someone = await anAccount();
  const { token } = reader;
  await succeed(call('POST', '/api/conversations', { token, body: { users: [someone.username] } }));
  const before = await list(reader);
  await succeed(call('POST', '/api/blocks', { token, body: { user: someone.id } }));
  expect(await list(reader)).toHaveLength(before.length - 1);
  await aRoom({ owner: reader });
}

/** Leaves a room just after something happened in it. */
async function leave(reader: Account, room: TestRoom): Promise<void> {
  const member = await memberId(room, reader);
  await aMessage(ann, room.id);
  await succeed(call('DELETE', `/api/members/${member}`, { token: reader.token }));
}

const mute = async (reader: Account, room: TestRoom, is_muted: boolean) =>
  call('PATCH', `/api/members/${await memberId(room, reader)}`, { token: reader.token, body: { is_muted } });

/**
 * The place of a message is reserved and counted. It is closed, because the message does not
 * arrive.
 */
async function aLostMessage(room: string): Promise<void> {
  const changed = await takePlace({ where: { _id: new ObjectId(room) } }, 1);
  if (!changed) throw new Error(`There is no room ${room}.`);
  const before = await list(ann);
  await fillGap({ ...placeOf(changed), isCounted: true });
  expect(await list(ann)).not.toEqual(before);
  expect(await list(ann)).toEqual(await readAnew(ann));
}

/** A message mentions somebody. Their read marker is updated a moment later. */
async function aLateMention(room: string, reader: Account): Promise<void> {
  const { _id } = await aMessage(ann, room);
  const mentioned = { _id: new ObjectId(_id.$oid) };
  const message = await messages.findOneAndUpdate(mentioned, { $set: { mentions: [new ObjectId(reader.id)] } }, {});
  const before = await list(reader);
  await noteMentions(new ObjectId(room), message?.seq ?? 0, [new ObjectId(reader.id)]);
  expect(await list(reader)).not.toEqual(before);
}

async function renamedAtOnce(room: string): Promise<void> {
  const _id = new ObjectId(room);
  const before = await rooms.findOne({ _id }, { projection: { changed_at: 1 } });
  await takePlace({ where: { _id }, update: { $set: { name: 'At once' } } });
  await rooms.updateOne({ _id }, { $set: { changed_at: before?.changed_at as Date } });
}
