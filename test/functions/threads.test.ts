import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { followedThreads } from '../../lib/collections/rooms/threads.ts';
import type { Member } from '../../lib/members/members.ts';
import type { Message } from '../../lib/messages/messages.ts';
import type { Thread } from '../../lib/messages/threads.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { nextMillisecond } from '../support/clock.ts';
import { aMessage } from '../support/messages.ts';
import { aRoomOf, nextOf } from '../support/rooms.ts';
import { type Reply, transports } from '../support/transports.ts';

describe.each(transports())('a thread, %s', (_transport, call) => {
  const get = async (path: string, { token }: Account) => (await call('GET', path, { token })).body;
  const textsIn = async (room: string, account: Account, query = '&is_in_room=true') =>
    ((await get(`/api/messages?room=${room}${query}`, account)) as Message[]).map(({ text }) => text);
  const mine = async (room: string, account: Account) =>
    ((await get('/api/members?user=me', account)) as Member[]).find((member) => member.room.$oid === room) as Member;
  const threadsOf = async (account: Account, query = '') => (await get(`/api/threads${query}`, account)) as Thread[];
  const patch = (root: Message, { token }: Account, body: object): Promise<Reply> =>
    call('PATCH', `/api/threads/${root._id.$oid}`, { token, body });

  it('a thread keeps its replies out of the room, unless they are sent to it, too', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const root = await aMessage(ann, room, { text: 'root' }, call);
    const thread = root._id.$oid;
    const folded = await aMessage(bob, room, { text: 'folded', thread }, call);
    const both = await aMessage(bob, room, { text: 'both', thread, is_in_room: true }, call);
    expect([root.is_in_room, folded.is_in_room, both.is_in_room]).toEqual([true, false, true]);
    expect(await textsIn(room, ann)).toEqual(['root', 'both']);
    expect(await textsIn(room, ann, '')).toEqual(['root', 'folded', 'both']);
    expect(await textsIn(room, ann, `&thread=${thread}`)).toEqual(['folded', 'both']);
    expect(await get(`/api/messages/${thread}`, ann)).toMatchObject({
      reply_count: 2,
      repliers: [{ $oid: bob.id }],
      replied_at: both.created_at,
    });
  });

  it('a thread and its mentions do not make the room unread, and a reply in it does not mark the room as read', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const root = await aMessage(ann, room, { text: 'root' }, call);
    const thread = root._id.$oid;
    await aMessage(ann, room, { text: 'another' }, call);
    await aMessage(bob, room, { text: `Hello @${ann.username}`, thread }, call);
    expect(await mine(room, ann)).toMatchObject({ unread: 0, unread_mentions: 0 });
    expect(await mine(room, bob)).toMatchObject({ unread: 2 });
    const last = await aMessage(ann, room, { text: 'in between', is_in_room: true, thread }, call);
    const deleted = await aMessage(ann, room, { text: 'gone', thread }, call);
    expect(await mine(room, bob)).toMatchObject({ unread: 3 });
    await call('DELETE', `/api/messages/${deleted._id.$oid}`, { token: ann.token });
    expect(await mine(room, bob)).toMatchObject({ unread: 3 });
    const member = (await mine(room, bob))._id.$oid;
    const read = await call('PATCH', `/api/members/${member}`, { token: bob.token, body: { last_read: last.seq - 1 } });
    expect(read.body).toMatchObject({ unread: 1 });
  });

  it('a thread is followed by who began it, replied, or was mentioned in it, with unread counts of its own', async () => {
    const [ann, bob, eve, joe] = await Promise.all([anAccount(), anAccount(), anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob, eve, joe]);
    const root = await aMessage(ann, room, { text: 'root' }, call);
    const thread = root._id.$oid;
    const first = await aMessage(bob, room, { text: 'one', thread }, call);
    await aMessage(bob, room, { text: `two, @${eve.username}`, thread }, call);
    const unread = async () =>
      Promise.all([ann, bob, eve, joe].map(async (who) => (await threadsOf(who)).map((one) => one.unread)));
    expect(await unread()).toEqual([[2], [0], [1], []]);
    expect((await patch(root, ann, { last_read: first.seq })).body).toMatchObject({ unread: 1, last_read: first.seq });
    await aMessage(eve, room, { text: 'three', thread }, call);
    expect(await unread()).toEqual([[2], [1], [0], []]);
    expect([(await mine(room, ann)).unread_threads, (await mine(room, eve)).unread_threads]).toEqual([1, 0]);
    const [followed] = await threadsOf(ann, '?unread=true');
    expect(followed).toMatchObject({ is_followed: true, message: { text: 'root', reply_count: 3 } });
    await patch(root, ann, { last_read: followed?.message.seq ?? 0 });
    expect(await unread()).toEqual([[2], [1], [0], []]);
    await patch(root, ann, { last_read: first.seq + 2 });
    expect(await threadsOf(ann, '?unread=true')).toEqual([]);
  });

  it('a thread whose only unread reply is deleted is read, until the next reply', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const root = await aMessage(ann, room, { text: 'root' }, call);
    const thread = root._id.$oid;
    const replies = [
      await aMessage(bob, room, { text: 'one', thread }, call),
      await aMessage(bob, room, { text: 'two', thread }, call),
    ];
    const state = async () => [
      (await mine(room, ann)).unread_threads,
      (await threadsOf(ann, '?unread=true')).map(({ unread }) => unread),
      (await threadsOf(ann)).map(({ unread }) => unread),
    ];
    expect(await state()).toEqual([1, [2], [2]]);
    const states: unknown[] = [];
    for (const { _id } of replies) {
      await call('DELETE', `/api/messages/${_id.$oid}`, { token: bob.token });
      states.push(await state());
    }
    expect(states).toEqual([
      [1, [1], [1]],
      [0, [], [0]],
    ]);
    // The mark goes once no reply can come at an earlier place.
    const row = { _id: { thread: new ObjectId(thread), user: new ObjectId(ann.id) } };
    expect(await followedThreads.findOne(row)).toMatchObject({ is_unread: true, may_be_read: true });
    await followedThreads.updateOne(row, { $set: { replied_at: new Date(Date.now() - 3_600_000) } });
    expect(await state()).toEqual([0, [], [0]]);
    await expect.poll(async () => (await followedThreads.findOne(row))?.is_unread).toBeUndefined();
    await aMessage(bob, room, { text: 'three', thread }, call);
    expect(await state()).toEqual([1, [1], [1]]);
  });

  it('a thread can be left and followed by choice, and a mention brings it back', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const root = await aMessage(ann, room, { text: 'root' }, call);
    const thread = root._id.$oid;
    await aMessage(bob, room, { text: 'one', thread }, call);
    expect((await patch(root, ann, { is_followed: false })).body).toMatchObject({ is_followed: false, unread: 0 });
    await aMessage(bob, room, { text: 'two', thread }, call);
    expect(await threadsOf(ann)).toEqual([]);
    const reply = await aMessage(bob, room, { text: 'three', thread }, call);
    await call('PATCH', `/api/messages/${reply._id.$oid}`, { token: bob.token, body: { text: `three, @${ann.username}` } });
    await aMessage(bob, room, { text: 'four', thread }, call);
    expect(await threadsOf(ann)).toMatchObject([{ is_followed: true, unread: 2 }]);
    await patch(root, ann, { is_followed: false });
    expect((await patch(root, ann, { is_followed: true })).body).toMatchObject({ is_followed: true });
    const other = await aMessage(bob, room, { text: 'other' }, call);
    expect(await get(`/api/threads/${other._id.$oid}`, ann)).toMatchObject({ is_followed: false });
    await patch(other, ann, { is_followed: true });
    await aMessage(bob, room, { text: 'five', thread: other._id.$oid }, call);
    expect((await threadsOf(ann)).map(({ message, unread }) => [message.text, unread])).toEqual([
      ['other', 1],
      ['root', 0],
    ]);
  });

  it('a thread is listed by its last reply, a page at a time, only to those who may read it', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const roots = [];
    for (const text of ['a', 'b', 'c']) roots.push(await aMessage(ann, room, { text }, call));
    for (const root of [...roots, ...roots.slice(0, 1)]) {
      await aMessage(bob, room, { text: 're', thread: root._id.$oid }, call);
      await nextMillisecond();
    }
    const found: string[] = [];
    for (let path: string | undefined = '/api/threads?limit=2'; path !== undefined; ) {
      const reply: Reply = await call('GET', path, { token: ann.token });
      found.push(...(reply.body as Thread[]).map(({ message }) => message.text));
      path = nextOf(reply);
    }
    expect(found).toEqual(['a', 'c', 'b']);
    await call('DELETE', `/api/members/${(await mine(room, bob))._id.$oid}`, { token: ann.token });
    expect(await threadsOf(bob)).toEqual([]);
    expect((await call('GET', `/api/threads/${roots[0]?._id.$oid}`, { token: bob.token })).status).toBe(404);
    expect((await patch(roots[0] as Message, bob, { is_followed: true })).status).toBe(404);
  });
});
