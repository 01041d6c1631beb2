import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { notificationDays, notificationMarkers, notifications } from '../../lib/collections/rooms/notifications.ts';
import { followedThreads } from '../../lib/collections/rooms/threads.ts';
import type { Message } from '../../lib/messages/messages.ts';
import type { Notification } from '../../lib/notifications/list.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { invalid } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { anyDate, outcome } from '../support/responses.ts';
import { addMember, aRoom, aRoomOf, everyPage, memberId, succeed } from '../support/rooms.ts';
import { admin } from '../support/run-command.ts';
import { commandsOf, planOf } from '../support/sent-commands.ts';
import { inProcess, transports } from '../support/transports.ts';

await useDatabaseOutside();

const idOf = ({ _id }: Message) => _id.$oid;
const react = ({ token }: Account, message: Message, emoji = 'owl', call = inProcess) =>
  succeed(call('PUT', `/api/messages/${idOf(message)}/reactions/${emoji}`, { token, body: {} }));

describe.each(transports())('the list of notifications, %s', (_transport, call) => {
  const read = async ({ token }: Account, query = '') => {
    const { headers, body } = await succeed(call('GET', `/api/notifications${query}`, { token }));
    return { unread: Number(headers['x-unread-count']), list: body as Notification[] };
  };
  /** The kinds of notifications in a list, with `*` for unread ones. */
  const kindsOf = async (who: Account) => (await read(who)).list.map(({ kind, is_unread }) => `${is_unread ? '*' : ''}${kind}`);
  const markRead = ({ token }: Account, until: string) =>
    call('PATCH', '/api/notifications', { token, body: { read_until: until } });

  it('the list of notifications has mentions, replies, reactions and additions, the newest first, each with its place and who did it', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other });
    await addMember(room, me);
    const mine = await aMessage(me, room.id, { text: 'mine' });
    await react(other, mine, 'owl', call);
    const mention = await aMessage(other, room.id, { text: `for @${me.username}` });
    const reply = await aMessage(other, room.id, { text: 'a reply', thread: idOf(mine) });
    const { list, unread } = await read(me);
    const common = {
      room: { $oid: room.id },
      user: { $oid: other.id },
      username: other.username,
      at: anyDate,
      is_unread: true,
    };
    const current = async (message: Message) =>
      (await succeed(call('GET', `/api/messages/${idOf(message)}`, { token: me.token }))).body;
    expect(list).toEqual([
      { ...common, kind: 'reply', seq: reply.seq, message: reply },
      { ...common, kind: 'mention', seq: mention.seq, message: mention },
      { ...common, kind: 'reaction', seq: mine.seq, emoji: 'owl', message: await current(mine) },
      { ...common, kind: 'added', seq: expect.any(Number), message: null },
    ]);
    expect(unread).toBe(4);
    // Users are not notified of their own actions.
    expect(await read(other)).toEqual({ list: [], unread: 0 });
  });

  it('the list of notifications has one entry for a reply that mentions the caller, and one for each message with reactions', async () => {
    const [me, one, two] = [await anAccount(), await anAccount(), await anAccount()];
    const room = await aRoomOf([me, one, two]);
    const mine = await aMessage(me, room);
    await react(one, mine, 'owl');
    await react(two, mine, 'cat');
    await react(me, mine, 'dog');
    await aMessage(one, room, { text: `@${me.username}`, thread: idOf(mine) });
    const { list } = await read(me);
    expect(list.map(({ kind, emoji, username }) => [kind, emoji, username])).toEqual([
      ['mention', undefined, one.username],
      ['reaction', 'cat', two.username],
    ]);
    // Removing one reaction leaves the other, and removing the last leaves nothing.
    const takeBack = ({ token }: Account, emoji: string) =>
      succeed(call('DELETE', `/api/messages/${idOf(mine)}/reactions/${emoji}`, { token }));
    await takeBack(two, 'cat');
    expect((await read(me)).list[1]).toMatchObject({ kind: 'reaction', emoji: 'owl', username: one.username });
    await takeBack(one, 'owl');
    expect(await kindsOf(me)).toEqual(['*mention']);
  });

  it.each<[string, string[], (scene: { me: Account; other: Account; room: string; mine: Message }) => Promise<unknown>]>([
    ['nothing is read', ['*reply', '*mention', '*reaction'], async () => undefined],
    ['the room is read', ['*reply', 'mention', '*reaction'], async ({ me, room }) => changeMine(me, room, { last_read: 3 })],
    [
      'the thread is read',
      ['reply', '*mention', '*reaction'],
      async ({ me, mine }) => succeed(call('PATCH', `/api/threads/${idOf(mine)}`, { token: me.token, body: { last_read: 4 } })),
    ],
    ['the room is muted', ['reply', 'mention', 'reaction'], async ({ me, room }) => changeMine(me, room, { is_muted: true })],
    ['the list is read', ['reply', 'mention', 'reaction'], async ({ me }) => markRead(me, new Date().toISOString())],
    [
      'the list is read before all of it',
      ['*reply', '*mention', '*reaction'],
      async ({ me }) => markRead(me, '2020-01-01T00:00:00Z'),
    ],
    [
      'the messages are deleted',
      [],
      async ({ other, mine, me, room }) => {
        const { body } = await succeed(call('GET', `/api/messages?room=${room}`, { token: me.token }));
        const replies = (await succeed(call('GET', `/api/messages?room=${room}&thread=${idOf(mine)}`, { token: me.token }))).body;
        for (const message of [...(body as Message[]), ...(replies as Message[])]) {
          const { token } = message.user.$oid === me.id ? me : other;
          await succeed(call('DELETE', `/api/messages/${idOf(message)}`, { token }));
        }
      },
    ],
    [
      'the mention is edited away',
      ['*reply', '*reaction'],
      async ({ me, other, room }) => {
        const { body } = await succeed(call('GET', `/api/messages?room=${room}&mentions=me`, { token: me.token }));
        const path = `/api/messages/${idOf((body as [Message])[0])}`;
        await succeed(call('PATCH', path, { token: other.token, body: { text: 'for nobody' } }));
      },
    ],
    [
      'the thread is no longer followed',
      ['*mention', '*reaction'],
      async ({ me, mine }) =>
        succeed(call('PATCH', `/api/threads/${idOf(mine)}`, { token: me.token, body: { is_followed: false } })),
    ],
  ])('the number of unread notifications: where %s, that is %j', async (_what, expected, act) => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([other, me]);
    const mine = await aMessage(me, room);
    await react(other, mine);
    await aMessage(other, room, { text: `for @${me.username}` });
    await aMessage(other, room, { thread: idOf(mine) });
    await act({ me, other, room, mine });
    expect(await kindsOf(me)).toEqual(expected);
    expect((await read(me)).unread).toBe(expected.filter((one) => one.startsWith('*')).length);
  });

  const changeMine = async (who: Account, room: string, body: object) => {
    const { body: found } = await succeed(call('GET', `/api/members?user=me`, { token: who.token }));
    const mine = (found as { _id: { $oid: string }; room: { $oid: string } }[]).find((one) => one.room.$oid === room);
    await succeed(call('PATCH', `/api/members/${mine?._id.$oid}`, { token: who.token, body }));
  };

  it('the list of notifications never has anything of a room that the caller has left, not even for an administrator', async () => {
    const [me, admin, other] = [await anAccount(), await anAdmin(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me, admin] });
    for (const one of [me, admin]) {
      const mine = await aMessage(one, room.id);
      await react(other, mine);
      await aMessage(other, room.id, { thread: idOf(mine) });
      await aMessage(other, room.id, { text: `@${one.username}` });
      expect((await read(one)).unread).toBe(4);
      await succeed(call('DELETE', `/api/members/${await memberId(room, one)}`, { token: one.token }));
      expect(await read(one)).toEqual({ list: [], unread: 0 });
    }
  });

  it('the list of notifications leaves out conversations with those whom the caller has blocked', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const begun = await succeed(call('POST', '/api/conversations', { token: other.token, body: { users: [me.id] } }));
    await aMessage(other, (begun.body as Message)._id.$oid, { text: `@${me.username}` });
    expect((await read(me)).unread).toBe(1);
    await succeed(call('POST', '/api/blocks', { token: me.token, body: { user: other.id } }));
    expect(await read(me)).toEqual({ list: [], unread: 0 });
  });

  it('the list of notifications is paged through without skipping or repeating any, also those of one moment', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const rooms = [await aRoomOf([me, other]), await aRoomOf([other, me])];
    const ids: string[] = [];
    for (let at = 0; at < 4; at++) {
      const room = rooms[at % 2] as string;
      const mine = await aMessage(me, room);
      await react(other, mine);
      await aMessage(other, room, { thread: idOf(mine) });
      ids.push(idOf(await aMessage(other, room, { text: `@${me.username}` })), idOf(mine));
    }
    const moment = new Date(Date.now() - 60_000);
    await messages.unscoped.updateMany({ _id: { $in: ids.map((id) => new ObjectId(id)) } }, { $set: { created_at: moment } });
    await followedThreads.updateMany({ '_id.user': new ObjectId(me.id) }, { $set: { replied_at: moment } });
    await notifications.updateMany({ '_id.user': new ObjectId(me.id) }, { $set: { at: moment } });
    // The number of unread ones may change in the meantime: another process learns a little later
    // that sending has marked rooms as read.
    await succeed(markRead(me, new Date().toISOString()));
    const all = (await read(me)).list;
    expect(all).toHaveLength(12);
    for (const limit of [1, 2, 5]) expect(await everyPage(call, `/api/notifications?limit=${limit}`, me.token)).toEqual(all);
  });

  it('the list of notifications goes back 90 days', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([other, me]);
    const mine = await aMessage(me, room);
    await react(other, mine);
    await aMessage(other, room, { thread: idOf(mine) });
    const sent = await aMessage(other, room, { text: `@${me.username}` });
    const set = async (days: number) => {
      const at = new Date(Date.now() - days * 86_400_000);
      const _id = new ObjectId(idOf(sent));
      await messages.unscoped.updateOne({ _id }, { $set: { created_at: at } });
      await followedThreads.updateMany({ '_id.user': new ObjectId(me.id) }, { $set: { replied_at: at } });
      await notifications.updateMany({ '_id.user': new ObjectId(me.id) }, { $set: { at } });
    };
    await set(notificationDays - 1);
    expect((await read(me)).list).toHaveLength(3);
    await set(notificationDays + 1);
    expect(await read(me)).toEqual({ list: [], unread: 0 });
  });

  it('the list of notifications is marked as read up to a time that moves only forwards and not into the future', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([other, me]);
    await aMessage(other, room, { text: `@${me.username} one` });
    const [first] = (await read(me)).list;
    await aMessage(other, room, { text: `@${me.username} two` });
    const at = first?.at.$date as string;
    expect(outcome(await markRead(me, at))).toEqual({ status: 200, body: { read_until: { $date: at }, unread: 1 } });
    expect(outcome(await markRead(me, '2020-01-01T00:00:00Z'))).toMatchObject({ body: { read_until: { $date: at } } });
    const { body } = await succeed(markRead(me, '2990-01-01T00:00:00Z'));
    expect(body).toEqual({ read_until: anyDate, unread: 0 });
    expect(Date.parse((body as { read_until: { $date: string } }).read_until.$date)).toBeLessThanOrEqual(Date.now());
    await aMessage(other, room, { text: `@${me.username} three` });
    expect(await kindsOf(me)).toEqual(['*mention', 'mention', 'mention']);
  });

  it('the list of notifications loses what belongs to a deleted room or account', async () => {
    const [me, other, admin] = [await anAccount(), await anAccount(), await anAdmin()];
    const [gone, kept] = [await aRoomOf([other, me]), await aRoomOf([other, me])];
    for (const room of [gone, kept]) await react(other, await aMessage(me, room));
    await markRead(me, '2020-01-01T00:00:00Z');
    const _id = new ObjectId(me.id);
    const left = async () => [
      await notifications.countDocuments({ '_id.user': _id }),
      await notificationMarkers.countDocuments({ _id }),
    ];
    expect(await left()).toEqual([2, 1]);
    await succeed(call('DELETE', `/api/rooms/${gone}`, { token: admin.token }));
    expect(await left()).toEqual([1, 1]);
    await succeed(call('DELETE', `/api/users/${me.id}`, { token: admin.token, body: {} }));
    expect(await left()).toEqual([0, 0]);
  });

  it('the list of notifications refuses a cursor of another list, and a time that is not one', async () => {
    const me = await anAccount();
    expect(outcome(await call('GET', '/api/notifications?after=1', { token: me.token }))).toEqual({
      status: 400,
      body: invalid('after', "be a cursor from the list's Link header"),
    });
    expect((await markRead(me, 'yesterday')).status).toBe(400);
  });
});

it('a message to everyone in a room writes nothing for any list of notifications', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, () => anAccount()));
  const [owner] = people as [Account];
  const room = await aRoomOf(people);
  const commands = await commandsOf(async () => {
    await aMessage(owner, room, { text: 'Hello @room' });
  });
  expect(commands.filter(({ collection }) => collection.startsWith('notification'))).toEqual([]);
});

it('a page of notifications, and their number, are read by indexes alone', async () => {
  const [me, other] = [await anAccount(), await anAccount()];
  const room = await aRoomOf([other, me]);
  const mine = await aMessage(me, room);
  await react(other, mine);
  await aMessage(other, room, { thread: idOf(mine) });
  await aMessage(other, room, { text: `@${me.username}` });
  const commands = await commandsOf(async () => {
    await succeed(inProcess('GET', '/api/notifications', { token: me.token }));
  });
  expect(commands.length).toBeLessThan(30);
  for (const command of commands) {
    const plan = await planOf(command);
    expect(plan, JSON.stringify(command.command)).not.toContain('COLLSCAN');
  }
});

it('a failed reaction sends no notification, and an addition by the command line names no actor', async () => {
  const [me, other] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner: other });
  expect(await admin(['member', 'add', room.id, me.username])).toMatchObject({ code: 0 });
  const mine = await aMessage(me, room.id);
  // The state after a process died between the notification and the reaction.
  const _id = { user: new ObjectId(me.id), of: new ObjectId(idOf(mine)) };
  const fields = { kind: 'reaction' as const, room: new ObjectId(room.id), seq: mine.seq, actor: new ObjectId(other.id) };
  await notifications.insertOne({ _id, ...fields, at: new Date() });
  const { headers, body } = await succeed(inProcess('GET', '/api/notifications', { token: me.token }));
  expect([body, headers['x-unread-count']]).toEqual([[], '0']);
});

/** The acts between two people and two rooms. Some are rejected if they come at the wrong time. */
const acts = [
  'mention',
  'reply',
  'react',
  'takeBack',
  'edit',
  'delete',
  'read',
  'readThread',
  'readList',
  'leave',
  'add',
  'mute',
] as const;

it('the list of notifications never has anything of a room that was left, of oneself or that is gone, or unread that was read', async () => {
  const act = fc.record({ what: fc.constantFrom(...acts), which: fc.nat({ max: 1 }), of: fc.nat({ max: 20 }) });
  const property = fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (happenings) => {
    const [me, other] = [await anAccount(), await anAccount()];
    const rooms = [await aRoomOf([other, me]), await aRoomOf([other, me])];
    const said: { room: string; message: Message; by: Account }[] = [];
    const say = async (by: Account, room: string, fields: object) => {
      const sent = await inProcess('POST', '/api/messages', { token: by.token, body: { room, ...fields } });
      if (sent.status === 201) said.push({ room, message: sent.body as Message, by });
    };
    for (const room of rooms) await say(me, room, { text: 'mine' });
    const mineIn = async (room: string) =>
      ((await succeed(inProcess('GET', '/api/members?user=me', { token: me.token }))).body as MyMember[]).find(
        (one) => one.room.$oid === room,
      );
    const changeMine = async (room: string, method: string, body?: object) => {
      const member = await mineIn(room);
      if (member) await inProcess(method, `/api/members/${member._id.$oid}`, { token: me.token, ...(body && { body }) });
    };
    let readUntil = 0;
    for (const { what, which, of } of happenings) {
      const room = rooms[which] as string;
      const { message, by } = said[of % said.length] as (typeof said)[number];
      const path = `/api/messages/${idOf(message)}`;
      const root = message.thread?.$oid ?? idOf(message);
      if (what === 'mention') await say(other, room, { text: `for @${me.username}` });
      else if (what === 'reply') await say(other, message.room.$oid, { text: 'a reply', thread: root });
      else if (what === 'react') await inProcess('PUT', `${path}/reactions/owl`, { token: other.token, body: {} });
      else if (what === 'takeBack') await inProcess('DELETE', `${path}/reactions/owl`, { token: other.token });
      else if (what === 'edit') await inProcess('PATCH', path, { token: by.token, body: { text: 'for nobody' } });
      else if (what === 'delete') await inProcess('DELETE', path, { token: by.token });
      else if (what === 'read') await changeMine(room, 'PATCH', { last_read: message.room.$oid === room ? message.seq : 1 });
      else if (what === 'readThread')
        await inProcess('PATCH', `/api/threads/${root}`, { token: me.token, body: { last_read: message.seq } });
      else if (what === 'readList') {
        const { body } = await succeed(
          inProcess('PATCH', '/api/notifications', { token: me.token, body: { read_until: message.created_at } }),
        );
        readUntil = Date.parse((body as { read_until: { $date: string } }).read_until.$date);
      } else if (what === 'leave') await changeMine(room, 'DELETE');
      else if (what === 'add') await inProcess('POST', '/api/members', { token: other.token, body: { room, user: me.id } });
      else await changeMine(room, 'PATCH', { is_muted: of % 2 === 0 });
    }

    const { headers, body } = await succeed(inProcess('GET', '/api/notifications?limit=200', { token: me.token }));
    const list = body as Notification[];
    expect(Number(headers['x-unread-count'])).toBe(list.filter(({ is_unread }) => is_unread).length);
    for (const { kind, room, user, at, message, is_unread } of list) {
      const mine = await mineIn(room.$oid);
      expect([mine !== undefined, user.$oid, message?.deleted_at ?? null]).toEqual([true, other.id, null]);
      if (kind === 'mention') expect(message?.mentions).toContainEqual({ $oid: me.id });
      if (kind === 'reaction') expect(message?.reactions).not.toEqual([]);
      if (!is_unread) continue;
      expect([mine?.is_muted, Date.parse(at.$date) > readUntil]).toEqual([false, true]);
      if (kind === 'mention') expect(message?.seq).toBeGreaterThan(mine?.last_read ?? 0);
      if (kind === 'reply') {
        const thread = await succeed(inProcess('GET', `/api/threads/${message?.thread?.$oid}`, { token: me.token }));
        expect((thread.body as { last_read: number }).last_read).toBeLessThan(message?.seq ?? 0);
      }
    }
  });
  await fc.assert(property, { numRuns: 12 });
});

type MyMember = { _id: { $oid: string }; room: { $oid: string }; is_muted: boolean; last_read: number };
