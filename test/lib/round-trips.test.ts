import { describe, expect, it } from 'vitest';
import { anAccount } from '../support/accounts.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { aMessage } from '../support/messages.ts';
import { aRoomOf } from '../support/rooms.ts';
import { commandsOf, planOf } from '../support/sent-commands.ts';
import { inProcess } from '../support/transports.ts';

await useDatabaseOutside();

const [owner, member] = await Promise.all([anAccount(), anAccount()]);
const room = await aRoomOf([owner, member]);
const parent = await aMessage(member, room);
const pinned = await aMessage(member, room);
for (let index = 0; index < 3; index++) await aMessage(owner, room, { thread: parent._id.$oid });

const elsewhere = await aRoomOf([owner, member]);
const lonely = await aMessage(owner, elsewhere);

const token = ['aggregate tokens'];
const change = ['aggregate messages', 'findAndModify rooms', 'findAndModify messages', 'insert events'];
// A reply is recorded in its parent message, and for the followers of its thread.
const notingReply = ['update messages', 'update threads'];
const page = ['aggregate rooms', 'aggregate messages'];
// Replies are counted only if there are messages with replies.
const withReplies = [...page, 'aggregate messages'];

const key = crypto.randomUUID();
const keyed = { 'idempotency-key': key };
const one = `/api/messages/${pinned._id.$oid}`;
const list = `/api/messages?room=${room}`;

// The order matters: each row depends on the rows before it.
const rows: [string, string, string, Record<string, unknown>, string[]][] = [
  ['a message', 'POST', '/api/messages', { body: { room, text: 'Hello' } }, ['findAndModify rooms', 'insert messages']],
  [
    'a message that mentions',
    'POST',
    '/api/messages',
    { body: { room, text: `@${member.username}` } },
    ['findAndModify rooms', 'find users', 'insert messages'],
  ],
  [
    'a message under a key',
    'POST',
    '/api/messages',
    { body: { room, text: 'Hello' }, headers: keyed },
    ['find messages', 'findAndModify rooms', 'insert messages'],
  ],
  [
    'the same message again',
    'POST',
    '/api/messages',
    { body: { room, text: 'Hello' }, headers: keyed },
    ['find messages', 'aggregate rooms'],
  ],
  [
    'a reply under a key',
    'POST',
    '/api/messages',
    { body: { room, text: 'Hello', thread: parent._id.$oid }, headers: { 'idempotency-key': `${key}2` } },
    ['find messages', 'find messages', 'findAndModify rooms', ...notingReply, 'insert messages'],
  ],
  [
    'the first reply',
    'POST',
    '/api/messages',
    { body: { room: elsewhere, text: 'Hello', thread: lonely._id.$oid } },
    ['find messages', 'findAndModify rooms', ...notingReply, 'insert messages'],
  ],
  ['reading a message', 'GET', one, {}, ['aggregate messages']],
  ['an edit', 'PATCH', one, { body: { text: 'Other' } }, change],
  ['a reaction', 'PUT', `${one}/reactions/owl`, { body: {} }, change],
  ['the same reaction again', 'PUT', `${one}/reactions/owl`, { body: {} }, ['aggregate messages']],
  ['a reaction that is removed', 'DELETE', `${one}/reactions/owl`, {}, change],
  ['a pin', 'PUT', `${one}/pin`, { body: {} }, change],
  ['the newest page', 'GET', list, {}, withReplies],
  ['a page without threads', 'GET', `${list}&limit=3`, {}, page],
  ['a page before a seq', 'GET', `${list}&before=3`, {}, withReplies],
  ['a page after a seq', 'GET', `${list}&after=1`, {}, page],
  ['a page around a seq', 'GET', `${list}&around=2`, {}, ['aggregate rooms', ...Array(3).fill('aggregate messages')]],
  // The first message at or after a time, by bisection of 13 places.
  [
    'a page at a time',
    'GET',
    `${list}&at=2026-01-01T00:00:00Z`,
    {},
    ['aggregate rooms', ...Array(3).fill('find messages'), ...Array(3).fill('aggregate messages')],
  ],
  [
    'a search of all rooms',
    'GET',
    '/api/messages?q=hello',
    {},
    ['find rooms', ...Array(2).fill('find messages'), ...Array(3).fill('aggregate messages')],
  ],
  ['a thread', 'GET', `${list}&thread=${parent._id.$oid}`, {}, page],
  ['the messages of a user', 'GET', `${list}&user=${member.id}`, {}, withReplies],
  ['the pinned messages', 'GET', `${list}&pinned=true`, {}, page],
  ['the messages that mention me', 'GET', `${list}&mentions=me`, {}, page],
  ['a search', 'GET', `${list}&q=hello`, {}, [...withReplies, 'find messages']],
  ['a cursor for now', 'GET', `/api/events?room=${room}`, {}, ['aggregate rooms', 'find messages', 'find events']],
  [
    'a poll that finds nothing new',
    'GET',
    `/api/events?room=${room}&after=13`,
    {},
    ['aggregate rooms', 'aggregate messages', 'find events'],
  ],
  [
    'a page of events',
    'GET',
    `/api/events?room=${room}&after=0`,
    {},
    ['aggregate rooms', 'aggregate messages', 'find events', 'aggregate messages', 'aggregate messages'],
  ],
  ['a pin that is removed', 'DELETE', `${one}/pin`, {}, change],
  ['a message that is deleted', 'DELETE', one, {}, [...change, 'delete saved']],
];

describe('the database commands of requests', () => {
  it.each(rows)('a request sends only the expected database commands: %s', async (_what, method, path, sent, expected) => {
    const { token: by } = path.endsWith('/pin') ? owner : member;
    const commands = await commandsOf(async () => {
      expect(await inProcess(method, path, { token: by, ...sent })).toMatchObject({
        status: expect.toSatisfy((status) => status < 300),
      });
    });
    // Concurrent commands come in any order.
    expect(commands.map(({ name, collection }) => `${name} ${collection}`).toSorted()).toEqual(
      [...token, ...expected].toSorted(),
    );
    for (const { name, command } of commands) expect(command.maxTimeMS, name).toSatisfy((time) => time > 0 && time <= 3_000);
    for (const command of commands.filter(({ name }) => name !== 'insert')) {
      const plan = await planOf(command);
      expect(plan, JSON.stringify(command.command)).toContain('IXSCAN');
      expect(plan, JSON.stringify(command.command)).not.toContain('COLLSCAN');
    }
  });
});
