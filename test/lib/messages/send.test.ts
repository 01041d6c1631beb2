import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { commandsOf } from '../../support/sent-commands.ts';
import { inProcess } from '../../support/transports.ts';

await useDatabaseOutside();

const [ada, bob, stranger] = await Promise.all([anAccount(), anAccount(), anAccount()]);

const send = ({ token }: Account, room: string, text: string, key?: string) =>
  inProcess('POST', '/api/messages', { token, body: { room, text }, headers: key ? { 'idempotency-key': key } : {} });

it('concurrent messages to a room take their places, and are stored, in batches', async () => {
  const room = await aRoomOf([ada, bob]);
  let replies: Awaited<ReturnType<typeof send>>[] = [];
  for (const { token } of [ada, bob]) await inProcess('GET', '/api/users/me', { token });
  const commands = await commandsOf(async () => {
    replies = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index % 2 ? ada : bob, room, `Message ${index}`)));
  });
  const sent = replies.map(({ body }) => body as Message).toSorted((one, other) => one.seq - other.seq);
  expect(sent.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(commands.length).toBeLessThanOrEqual(9);
  const { body } = await inProcess('GET', `/api/messages?room=${room}`, { token: ada.token });
  expect(body).toEqual(sent);
});

it('messages to several rooms are stored together, and a refused one affects no other', async () => {
  const rooms = await Promise.all(Array.from({ length: 10 }, () => aRoomOf([ada, bob])));
  const key = crypto.randomUUID();
  const hasKey = (at: number) => at === 3 || at === 7;
  for (const { token } of [ada, bob]) await inProcess('GET', '/api/users/me', { token });
  let replies: Awaited<ReturnType<typeof send>>[] = [];
  const commands = await commandsOf(async () => {
    const all = rooms.map((room, at) => (hasKey(at) ? send(ada, room, 'Once', key) : send(at % 2 ? ada : bob, room, 'Hello')));
    replies = await Promise.all(all);
  });
  expect(commands.filter(({ name }) => name === 'insert').length).toBeLessThan(rooms.length);
  const refused = replies.findIndex(({ status }) => status === 422);
  expect(hasKey(refused)).toBe(true);
  expect(replies.map(({ status }) => status)).toEqual(rooms.map((_, at) => (at === refused ? 422 : 201)));
  const read = async (room: string, at: number) => {
    const { body } = await inProcess('GET', `/api/messages?room=${room}`, { token: ada.token });
    expect(body).toEqual(at === refused ? [] : [replies[at]?.body]);
  };
  await Promise.all(rooms.map(read));
});

it('a sender without permission is refused, and the others are not', async () => {
  const room = await aRoomOf([ada, bob]);
  const replies = await Promise.all([ada, stranger, bob].map((sender) => send(sender, room, 'Hello')));
  expect(replies.map(({ status }) => status)).toEqual([201, 403, 201]);
  expect(replies.map(({ body }) => (body as Message).seq).sort()).toEqual([1, 2, undefined]);
});

it('a refused reply leaves no trace on the message that it replies to', async () => {
  const room = await aRoomOf([ada]);
  const parent = await aMessage(ada, room);
  const reply = { room, text: 'Hello', thread: parent._id.$oid };
  expect((await inProcess('POST', '/api/messages', { token: stranger.token, body: reply })).status).toBe(403);
  const stored = () => messages.findOne({ _id: new ObjectId(parent._id.$oid) });
  expect(await stored()).not.toHaveProperty('has_replies');
  expect((await inProcess('POST', '/api/messages', { token: ada.token, body: reply })).status).toBe(201);
  expect(await stored()).toHaveProperty('has_replies', true);
});

it('concurrent requests with one key send one message, and do not affect others', async () => {
  const room = await aRoomOf([ada, bob]);
  const key = crypto.randomUUID();
  const replies = await Promise.all([
    send(ada, room, 'Once', key),
    send(bob, room, 'Beside'),
    send(ada, room, 'Once', key),
    send(ada, room, 'Once', key),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const ids = replies.map(({ body }) => (body as Message)._id.$oid);
  expect(new Set(ids).size).toBe(2);
  const { body } = await inProcess('GET', `/api/messages?room=${room}`, { token: ada.token });
  expect((body as Message[]).map(({ text }) => text).sort()).toEqual(['Beside', 'Once']);
});
