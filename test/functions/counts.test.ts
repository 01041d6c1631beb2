import { describe, expect, it } from 'vitest';
import type { Member } from '../../lib/members/members.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { aMessage } from '../support/messages.ts';
import { aRoomOf } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

async function mine(room: string, { token }: Account): Promise<Member> {
  const { body } = await call('GET', '/api/members?user=me', { token });
  return (body as Member[]).find((one) => one.room.$oid === room) as Member;
}
const countsOf = async (room: string, who: Account) => {
  const { unread, unread_mentions } = await mine(room, who);
  return [unread, unread_mentions];
};
const readUpTo = async (room: string, who: Account, last_read: number) =>
  call('PATCH', `/api/members/${(await mine(room, who))._id.$oid}`, { token: who.token, body: { last_read } });
const edit = ({ _id }: Message, { token }: Account, text: string) =>
  call('PATCH', `/api/messages/${_id.$oid}`, { token, body: { text } });
const remove = ({ _id }: Message, { token }: Account) => call('DELETE', `/api/messages/${_id.$oid}`, { token });
const read = async ({ _id }: Message, { token }: Account) =>
  (await call('GET', `/api/messages/${_id.$oid}`, { token })).body as Message;

describe('unread messages', () => {
  it('unread messages exclude deleted ones, and deleting read ones changes nothing', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob]);
    const sent: Message[] = [];
    for (let n = 0; n < 6; n++) sent.push(await aMessage(ann, room, { text: `@${bob.username} ${n}` }));
    await readUpTo(room, bob, 2);
    expect(await countsOf(room, bob)).toEqual([4, 4]);
    for (const at of [0, 3, 5]) await remove(sent[at] as Message, ann);
    expect(await countsOf(room, bob)).toEqual([2, 2]);
    const { token } = bob;
    const { body } = await call('GET', `/api/members?room=${room}`, { token });
    expect((body as Member[]).find(({ user }) => user.$oid === bob.id)).toMatchObject({ unread: 2 });
    for (const at of [2, 4]) await remove(sent[at] as Message, ann);
    expect(await countsOf(room, bob)).toEqual([0, 0]);
    await aMessage(ann, room);
    expect(await countsOf(room, bob)).toEqual([1, 0]);
    // Moving the marker back counts the present messages.
    const path = `/api/members/${(await mine(room, bob))._id.$oid}`;
    await readUpTo(room, bob, (await mine(room, bob)).seq ?? 0);
    expect((await call('PATCH', path, { token, body: { unread_from: 1 } })).body).toMatchObject({ unread: 2 });
  });
});

describe('an edit', () => {
  it('an edit that adds a mention to a read message counts as a mention for its user until they have read the edit', async () => {
    const [ann, bob, eve] = [await anAccount(), await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob, eve]);
    const message = await aMessage(ann, room, { text: 'lunch?' });
    await aMessage(ann, room);
    for (const who of [bob, eve]) await readUpTo(room, who, 2);
    await edit(message, ann, `lunch, @${bob.username}?`);
    expect([await countsOf(room, bob), await countsOf(room, eve)]).toEqual([
      [0, 1],
      [0, 0],
    ]);
    // A repeated mention does not count again.
    await edit(message, ann, `lunch at noon, @${bob.username}?`);
    expect(await countsOf(room, bob)).toEqual([0, 1]);
    await readUpTo(room, bob, 4);
    expect(await countsOf(room, bob)).toEqual([0, 0]);
  });

  it('an edit that removes a mention lowers the count of unread mentions, even if an edit had added the mention', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob]);
    const message = await aMessage(ann, room, { text: 'lunch?' });
    await readUpTo(room, bob, 1);
    const other = await aMessage(ann, room, { text: `@${bob.username}` });
    await edit(message, ann, `lunch, @${bob.username}?`);
    expect(await countsOf(room, bob)).toEqual([1, 2]);
    await edit(message, ann, 'lunch?');
    expect(await countsOf(room, bob)).toEqual([1, 1]);
    await edit(other, ann, 'nobody');
    expect(await countsOf(room, bob)).toEqual([1, 0]);
    await edit(message, ann, `lunch, @${bob.username}?`);
    await remove(message, ann);
    expect(await countsOf(room, bob)).toEqual([1, 0]);
  });
});

describe('a thread', () => {
  it('a thread counts the replies that exist', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const root = await aMessage(ann, room);
    const replies: Message[] = [];
    for (let n = 0; n < 3; n++) replies.push(await aMessage(ann, room, { thread: root._id.$oid }));
    await remove(replies[1] as Message, ann);
    expect(await read(root, ann)).toMatchObject({ reply_count: 2 });
    for (const at of [0, 2]) await remove(replies[at] as Message, ann);
    expect(await read(root, ann)).toMatchObject({ reply_count: 0 });
    await aMessage(ann, room, { thread: root._id.$oid });
    const { body } = await call('GET', `/api/messages?room=${room}`, { token: ann.token });
    expect((body as Message[])[0]).toMatchObject({ reply_count: 1 });
  });

  it('a thread includes the replies to its replies', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const root = await aMessage(ann, room);
    const reply = await aMessage(ann, room, { thread: root._id.$oid });
    const second = await aMessage(ann, room, { thread: reply._id.$oid });
    const third = await aMessage(ann, room, { thread: second._id.$oid });
    expect([second.thread, third.thread]).toEqual([root._id, root._id]);
    const { body } = await call('GET', `/api/messages?room=${room}&thread=${root._id.$oid}`, { token: ann.token });
    expect(body).toEqual([reply, second, third]);
    expect(await read(root, ann)).toMatchObject({ reply_count: 3 });
  });
});
