import { setTimeout as delay } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { insertEvent } from '../../../lib/rooms/event-log.ts';
import { placeOf, takePlace } from '../../../lib/rooms/sequence.ts';
import { config } from '../../../lib/settings/config.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, age, aRoom, aRoomOf, memberId, succeed } from '../../support/rooms.ts';
import { commandsOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';

await useDatabaseOutside();

const [ann, bob, admin] = await Promise.all([anAccount(), anAccount(), anAdmin()]);

describe('the newest page of a room', () => {
  it('the newest page of a room is cached after two reads, and then only the caller, the position of the room and the names of the authors are queried', async () => {
    const room = await aRoomOf([ann, bob]);
    await aMessage(ann, room);
    await aMessage(bob, room);
    const [first, second] = [await namesOf(() => newest(room, ann)), await namesOf(() => newest(room, bob))];
    expect(first).toEqual(['aggregate tokens', 'aggregate rooms', 'aggregate messages']);
    expect(second.slice(0, 3)).toEqual(first);
    await untilKept(room);
    const read = await newest(room, bob);
    expect(await namesOf(async () => expect(await newest(room, ann)).toEqual(read))).toEqual(kept);
    const other = await namesOf(() => newest(room, admin));
    expect(other).toEqual(kept);
    expect(read).toEqual(await notKept(room, ann));
  });

  it('the newest page of a room shows a message and every change of one to the next reader', async () => {
    const room = await aRoomOf([ann, bob]);
    const [message, other] = [await aMessage(ann, room), await aMessage(bob, room)];
    const one = `/api/messages/${message._id.$oid}`;
    const { token } = ann;
    const changes: [string, () => Promise<unknown>][] = [
      ['a message', () => aMessage(bob, room)],
      ['a reply', () => aMessage(bob, room, { thread: message._id.$oid })],
      ['an edit', () => succeed(call('PATCH', one, { token, body: { text: 'Changed' } }))],
      ['a reaction', () => succeed(call('PUT', `${one}/reactions/owl`, { token, body: {} }))],
      ['its end', () => succeed(call('DELETE', `${one}/reactions/owl`, { token }))],
      ['a pin', () => succeed(call('PUT', `${one}/pin`, { token, body: {} }))],
      ['its end', () => succeed(call('DELETE', `${one}/pin`, { token }))],
      ['a deletion', () => succeed(call('DELETE', `/api/messages/${other._id.$oid}`, { token }))],
    ];
    for (const [what, change] of changes) {
      await untilKept(room);
      const before = await newest(room, ann);
      await change();
      const now = await newest(room, ann);
      expect({ what, isSame: now === before, now }).toEqual({ what, isSame: false, now: await notKept(room, ann) });
      expect(now).not.toEqual(before);
    }
  });

  it('the newest page of a room has no name of someone who deleted the account after leaving', async () => {
    const [room, gone] = [await aRoom({ owner: ann }), await anAccount()];
    await addMember(room, gone);
    await aMessage(gone, room.id);
    const { token, password } = gone;
    await succeed(call('DELETE', `/api/members/${await memberId(room, gone)}`, { token }));
    await untilKept(room.id);
    expect((await newest(room.id, ann)).map(({ username }) => username)).toEqual([gone.username]);
    await succeed(call('DELETE', '/api/users/me', { token, body: { current_password: password } }));
    expect((await newest(room.id, ann)).map(({ username }) => username)).toEqual(['(deleted)']);
  });

  it('the newest page of a room is refused to former members and former administrators', async () => {
    const room = await aRoom({ owner: ann, members: [bob] });
    const other = await anAdmin();
    await aMessage(ann, room.id);
    await untilKept(room.id);
    for (const reader of [bob, bob, other, other]) await newest(room.id, reader);
    const statusFor = async ({ token }: Account) =>
      (await call('GET', `/api/messages?room=${room.id}&limit=100`, { token })).status;
    await succeed(call('PATCH', `/api/users/${other.id}`, { token: admin.token, body: { is_admin: false } }));
    expect([await statusFor(bob), await statusFor(other)]).toEqual([200, 403]);
    await succeed(call('DELETE', `/api/members/${await memberId(room, bob)}`, { token: ann.token }));
    expect([await statusFor(bob), await statusFor(ann)]).toEqual([403, 200]);
    await untilKept(room.id);
    await succeed(call('DELETE', room.path, { token: admin.token }));
    expect(await statusFor(ann)).toBe(404);
  });

  it('the newest page of a room is read again after it was cached for as long as a function may run', async () => {
    const room = await aRoomOf([ann]);
    await aMessage(ann, room);
    await untilKept(room);
    expect(await namesOf(() => newest(room, ann))).toEqual(kept);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + config.feedPatience + 1000);
    onTestFinished(() => clock.mockRestore());
    expect(await namesOf(() => newest(room, ann))).toContain('aggregate messages');
  });
});

describe('the newest page of a room that may lack something', () => {
  it('the newest page is not cached while it may lack a message whose place is taken', async () => {
    const room = await aRoomOf([ann]);
    const sent = await stored(await aMessage(ann, room));
    const place = await taken(room, 1);
    await readOften(room);
    await messages.unscoped.insertOne({
      ...sent,
      _id: new ObjectId(),
      seq: place.seq,
      ordinal: place.ordinal,
      created_at: place.at,
    });
    expect((await newest(room, ann)).map(({ seq }) => seq)).toEqual([1, 2]);
    await untilKept(room);
  });

  it('the newest page is not cached while it may lack a change whose place is taken, or one whose event alone is missing', async () => {
    const room = await aRoomOf([ann]);
    const { _id } = await stored(await aMessage(ann, room));
    const { seq, ordinal, at } = await taken(room, 0);
    await readOften(room);
    const changed = { seq, ordinal, at, type: 'message.edited', actor: new ObjectId(ann.id) } as const;
    await messages.updateOne({ _id }, { $set: { text: 'Changed', changed } });
    expect((await newest(room, ann)).map(({ text }) => text)).toEqual(['Changed']);
    await readOften(room);
    expect(await namesOf(() => newest(room, ann))).toContain('aggregate messages');
    await insertEvent({ room: new ObjectId(room), ...changed, data: { message: _id } });
    await untilKept(room);
  });

  it('the newest page is not cached while it may lack a concurrent change', async () => {
    const room = await aRoomOf([ann]);
    const { _id } = await stored(await aMessage(ann, room));
    const { seq, ordinal, at } = await taken(room, 0);
    const changed = { seq, ordinal, at, type: 'message.edited', actor: new ObjectId(ann.id) } as const;
    await readOften(room);
    // The event is stored, as a reader after the page would find it, and the page is from before
    // the change.
    await insertEvent({ room: new ObjectId(room), ...changed, data: { message: _id } });
    await readOften(room);
    await messages.updateOne({ _id }, { $set: { text: 'Changed', changed } });
    expect((await newest(room, ann)).map(({ text }) => text)).toEqual(['Changed']);
  });

  it('the newest page is not cached while functions may still write to it, and cached afterwards', async () => {
    const room = await aRoomOf([ann]);
    await aMessage(ann, room);
    await taken(room, 1);
    await aMessage(ann, room);
    await readOften(room);
    expect(await namesOf(() => newest(room, ann))).toContain('aggregate messages');
    await age(room);
    await untilKept(room);
  });
});

it('the cache of pages takes at most 4 MB, and keeps the pages that were read last', async () => {
  const rooms = await Promise.all(Array.from({ length: 6 }, () => aRoomOf([ann])));
  await Promise.all(rooms.map(async (room) => fill(room, 90, 'x'.repeat(10_000))));
  for (const room of rooms) await untilKept(room);
  const isKept = async (room: string) => !(await namesOf(() => newest(room, ann))).includes('aggregate messages');
  expect(await isKept(rooms[5] as string)).toBe(true);
  expect(await isKept(rooms[0] as string)).toBe(false);
});

it('everyone immediately sees their own changes while others read and write', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => anAccount()));
  const room = await aRoomOf(people);
  let isOver = false;
  const writers = people.map(async (who, index) => {
    for (let round = 0; round < 12; round++) {
      const { _id } = await aMessage(who, room, { text: `${index} in round ${round}` });
      const mine = async () => (await newest(room, who)).find((one) => one._id.$oid === _id.$oid);
      expect(await mine()).toMatchObject({ text: `${index} in round ${round}` });
      await succeed(call('PATCH', `/api/messages/${_id.$oid}`, { token: who.token, body: { text: 'Changed' } }));
      expect(await mine()).toMatchObject({ text: 'Changed' });
      // So that pages are cached in some of the runs.
      await delay(20);
    }
  });
  const readers = people.map(async (who) => {
    while (!isOver) await newest(room, who);
  });
  await Promise.all(writers);
  isOver = true;
  await Promise.all(readers);
});

const kept = ['aggregate tokens', 'find users', 'aggregate rooms'];

async function newest(room: string, { token }: Account): Promise<Message[]> {
  return (await succeed(call('GET', `/api/messages?room=${room}&limit=100`, { token }))).body as Message[];
}

/** Reads the page through a request that is not cached. */
async function notKept(room: string, { token }: Account): Promise<Message[]> {
  return (await succeed(call('GET', `/api/messages?room=${room}&limit=100&before=1000000`, { token }))).body as Message[];
}

/** The database commands that some work sends. */
async function namesOf(work: () => Promise<unknown>): Promise<string[]> {
  const names = (await commandsOf(work)).map(({ name, collection }) => `${name} ${collection}`);
  // The use of the token is stored from time to time.
  return names.filter((name) => name !== 'update tokens');
}

/** Reads a page until it is cached. */
async function readOften(room: string): Promise<void> {
  for (let count = 0; count < 4; count++) {
    await newest(room, ann);
    await delay(10);
  }
}

const untilKept = (room: string) => expect.poll(() => namesOf(() => newest(room, ann))).toEqual(kept);

async function stored({ _id }: Message) {
  const found = await messages.findOne({ _id: new ObjectId(_id.$oid) });
  if (!found) throw new Error('The message is not there.');
  return found;
}

/** Reserves a room's next place and leaves it empty, like a function that was suspended. */
async function taken(room: string, ofMessages: number) {
  const changed = await takePlace({ where: { _id: new ObjectId(room) } }, ofMessages);
  if (!changed) throw new Error('There is no such room.');
  return placeOf(changed);
}

async function fill(room: string, count: number, text: string): Promise<void> {
  for (let sent = 0; sent < count; sent += 30) await Promise.all(Array.from({ length: 30 }, () => aMessage(ann, room, { text })));
}
