import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { deleteUser } from '../../../lib/accounts/deletion.ts';
import { holdUser } from '../../../lib/accounts/holds.ts';
import { files } from '../../../lib/collections/rooms/files.ts';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { sweepMessages } from '../../../lib/messages/retention.ts';
import { holdRoom } from '../../../lib/rooms/details.ts';
import { anAccount } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { refusals } from '../../support/error-bodies.ts';
import { aMessage } from '../../support/messages.ts';
import { outcome } from '../../support/responses.ts';
import { addMember, aRoom, type TestRoom } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

useOwnDatabase();

const day = 86_400_000;
const inDays = (days: number) => Date.now() + days * day;

const read = async ({ id, owner }: TestRoom) =>
  (await call('GET', `/api/messages?room=${id}&limit=200`, { token: owner.token })).body as Message[];
const texts = async (room: TestRoom) => (await read(room)).map(({ text }) => text);
const keep = (room: TestRoom, retention_days: number | null, token = room.owner.token) =>
  call('PATCH', `${room.path}/details`, { token, body: { retention_days } });
/** As if a message had been sent this many days ago. */
const age = ({ _id }: Message, days: number) =>
  messages.updateOne({ _id: new ObjectId(_id.$oid) }, { $set: { created_at: new Date(inDays(-days)) } });

describe('messages', () => {
  it('messages are kept for ever by default', async () => {
    const room = await aRoom();
    await age(await aMessage(room.owner, room.id, { text: 'old' }), 10_000);
    expect(await sweepMessages()).toBe(0);
    expect(await texts(room)).toEqual(['old']);
  });

  it('messages are deleted for good when they are older than their room keeps them, and its feed tells of it', async () => {
    const room = await aRoom();
    const old = await aMessage(room.owner, room.id, { text: 'old' });
    const recent = await aMessage(room.owner, room.id, { text: 'recent' });
    await Promise.all([age(old, 8), age(recent, 6)]);
    expect(await keep(room, 7)).toMatchObject({ status: 200, body: { retention_days: 7 } });
    expect(await sweepMessages()).toBe(1);
    expect(await texts(room)).toEqual(['', 'recent']);
    const stored = await messages.findOne({ _id: new ObjectId(old._id.$oid) });
    expect(JSON.stringify(stored)).not.toContain('old');
    const { body: events } = await call('GET', `/api/events?room=${room.id}&after=0`, { token: room.owner.token });
    expect(events).toContainEqual(expect.objectContaining({ type: 'message.deleted', actor: null }));
    expect(await sweepMessages()).toBe(0);
    expect(await sweepMessages({ now: inDays(2) })).toBe(1);
  });

  it('old messages are deleted with their files, saved copies and old replies', async () => {
    const room = await aRoom();
    const root = await aMessage(room.owner, room.id, { text: 'root' });
    const reply = await aMessage(room.owner, room.id, { text: 'reply', thread: root._id.$oid });
    await call('PUT', `/api/messages/${root._id.$oid}/save`, { token: room.owner.token, body: {} });
    await age(root, 8);
    await keep(room, 7);
    await sweepMessages();
    const thread = async () =>
      (await call('GET', `/api/messages?room=${room.id}&thread=${root._id.$oid}`, { token: room.owner.token })).body as Message[];
    expect((await thread()).map(({ text }) => text)).toEqual(['reply']);
    expect((await call('GET', '/api/saved', { token: room.owner.token })).body).toEqual([]);
    await age(reply, 8);
    // A message behind the swept place is swept with the next messages.
    await sweepMessages();
    expect((await thread()).map(({ text }) => text)).toEqual(['']);
    expect(await files.countDocuments({ room: new ObjectId(room.id) })).toBe(0);
  });

  it('messages are kept while their room is held', async () => {
    const room = await aRoom();
    await age(await aMessage(room.owner, room.id, { text: 'evidence' }), 8);
    await keep(room, 7);
    await holdRoom(new ObjectId(room.id), true);
    expect(await sweepMessages()).toBe(0);
    await holdRoom(new ObjectId(room.id), false);
    expect(await sweepMessages()).toBe(1);
    expect(await texts(room)).toEqual(['']);
  });

  it('messages are kept while their author is held, wherever they were said, and those of others are deleted', async () => {
    const [held, other] = [await anAccount(), await anAccount()];
    const some = [await aRoom({ members: [held, other] }), await aRoom({ owner: held, members: [other] })] as const;
    for (const room of some) {
      for (const [author, text] of [
        [other, 'first'],
        [held, 'evidence'],
        [other, 'last'],
      ] as const)
        await age(await aMessage(author, room.id, { text }), 8);
      await keep(room, 7);
    }
    await holdUser(new ObjectId(held.id), true);
    expect(await sweepMessages()).toBe(4);
    for (const room of some) expect(await texts(room)).toEqual(['', 'evidence', '']);
    expect(await sweepMessages()).toBe(0);
    // The hold remains after the account is deleted.
    await deleteUser(new ObjectId(held.id));
    expect(await sweepMessages()).toBe(0);
    await holdUser(new ObjectId(held.id), false);
    // As if the process had died at its start.
    expect(await sweepMessages({ until: 0 })).toBe(0);
    expect(await sweepMessages()).toBe(2);
    expect(await texts(some[0])).toEqual(['', '', '']);
    for (const { id } of some) expect(await rooms.findOne({ _id: new ObjectId(id) })).not.toHaveProperty('held_seq');
  });

  it('messages of a released user are deleted, and messages of users who are still on hold stay', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ members: [ann, bob] });
    for (const author of [ann, bob]) {
      await age(await aMessage(author, room.id, { text: author.username }), 8);
      await holdUser(new ObjectId(author.id), true);
    }
    await keep(room, 7);
    expect(await sweepMessages()).toBe(0);
    // Later messages are still swept.
    await age(await aMessage(room.owner, room.id, { text: 'later' }), 8);
    expect(await sweepMessages()).toBe(1);
    await holdUser(new ObjectId(bob.id), false);
    expect(await sweepMessages()).toBe(1);
    expect(await texts(room)).toEqual([ann.username, '', '']);
    await holdUser(new ObjectId(ann.id), false);
    expect(await sweepMessages()).toBe(1);
    expect(await texts(room)).toEqual(['', '', '']);
  });

  it('messages of somebody who is held can be deleted by their author', async () => {
    const [held, room] = [await anAccount(), await aRoom()];
    await addMember(room, held);
    const { _id } = await aMessage(held, room.id, { text: 'regretted' });
    await holdUser(new ObjectId(held.id), true);
    expect((await call('DELETE', `/api/messages/${_id.$oid}`, { token: held.token })).status).toBe(204);
    expect(await texts(room)).toEqual(['']);
  });

  it('messages are swept in parts, each message once, even by concurrent sweeps', async () => {
    const room = await aRoom();
    const sent = await Promise.all(Array.from({ length: 120 }, (_, at) => aMessage(room.owner, room.id, { text: `${at}` })));
    await keep(room, 7);
    expect(await sweepMessages({ now: inDays(8), until: 0 })).toBe(0);
    await Promise.all([sweepMessages({ now: inDays(8) }), sweepMessages({ now: inDays(8) }), sweepMessages({ now: inDays(8) })]);
    const left = (await read(room)).filter(({ text }) => text !== '');
    expect(left).toEqual([]);
    const { body } = await call('GET', `/api/events?room=${room.id}&after=0&limit=200`, { token: room.owner.token });
    const sentEvents = (body as { type: string; data: { deleted_at?: unknown } }[]).filter(
      ({ type }) => type === 'message.created',
    );
    expect(sentEvents.every(({ data }) => data.deleted_at)).toBe(true);
    expect((await rooms.findOne({ _id: new ObjectId(room.id) }))?.swept_seq).toBe(Math.max(...sent.map(({ seq }) => seq)));
  });
});

it('how long a room keeps its messages is chosen by its owner, from a day to a hundred years, or left to the service', async () => {
  const [member, moderator] = [await anAccount(), await anAccount()];
  const room = await aRoom({ members: [member], moderators: [moderator] });
  for (const { token } of [member, moderator]) expect((await keep(room, 7, token)).status).toBe(403);
  for (const days of [0, 1.5, 36_501, '7'] as number[])
    expect(outcome(await keep(room, days))).toEqual(refusals.invalid('retention_days', 'be null, or from 1 to 36500'));
  expect(await keep(room, 36_500)).toMatchObject({ status: 200, body: { retention_days: 36_500 } });
  expect(await keep(room, null)).toMatchObject({ status: 200, body: { retention_days: null } });
});
