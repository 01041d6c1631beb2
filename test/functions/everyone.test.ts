import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Member } from '../../lib/members/members.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { aMessage } from '../support/messages.ts';
import { aRoomOf } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const mentionsOf = async (account: Account, room: string) => {
  const { body } = await call('GET', '/api/members?user=me', { token: account.token });
  return (body as Member[]).find((member) => member.room.$oid === room)?.unread_mentions;
};
/** Lets the room accept a mention of everyone again. */
const aMinuteLater = (room: string) => rooms.updateOne({ _id: new ObjectId(room) }, { $unset: { for_all_at: '' } });

describe('messages that address everyone', () => {
  it('a message with @room mentions all members, and names nobody but those whom it names', async () => {
    const [ann, bob, eve] = [await anAccount(), await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob, eve]);
    const sent = await aMessage(ann, room, { text: `@room lunch is ready, @${bob.username}!` });
    expect([sent.mentions_all, sent.mentions]).toEqual(['room', [{ $oid: bob.id }]]);
    expect([await mentionsOf(bob, room), await mentionsOf(eve, room), await mentionsOf(ann, room)]).toEqual([1, 1, 0]);
    for (const query of [`room=${room}&mentions=me`, 'mentions=me']) {
      const { body } = await call('GET', `/api/messages?${query}`, { token: eve.token });
      expect((body as Message[]).map(({ seq }) => seq)).toEqual([sent.seq]);
    }
  });

  it('a message with @here is marked for connected users, and counts as an unread mention for nobody', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob]);
    expect((await aMessage(ann, room, { text: 'Is anybody @here?' })).mentions_all).toBe('here');
    expect(await mentionsOf(bob, room)).toBe(0);
  });

  it.each(['`@room`', 'ann@room', '@roommate', 'room', '\\@room'])('a message does not address everyone by %s', async (text) => {
    const ann = await anAccount();
    expect((await aMessage(ann, await aRoomOf([ann]), { text })).mentions_all).toBe(null);
  });

  it('a member addresses everyone once a minute; more often it is text like any other', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob]);
    const kinds = await Promise.all(Array.from({ length: 3 }, () => aMessage(ann, room, { text: '@room' })));
    expect(kinds.map((one) => one.mentions_all).filter(Boolean)).toEqual(['room']);
    await aMinuteLater(room);
    expect((await aMessage(bob, room, { text: '@room' })).mentions_all).toBe('room');
  });

  it('the right to address everyone may be left to moderators or owners', async () => {
    const [ann, bob, eve] = [await anAccount(), await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, [bob, 'moderator'], eve]);
    const limit = (who: Account, role: string) =>
      call('PATCH', `/api/rooms/${room}/details`, { token: who.token, body: { mention_all_role: role } });
    expect((await limit(bob, 'moderator')).status).toBe(403);
    expect(await limit(ann, 'moderator')).toMatchObject({ status: 200, body: { mention_all_role: 'moderator' } });
    const kindOf = async (who: Account) => {
      await aMinuteLater(room);
      return (await aMessage(who, room, { text: '@room' })).mentions_all;
    };
    expect([await kindOf(ann), await kindOf(bob), await kindOf(eve)]).toEqual(['room', 'room', null]);
    await limit(ann, 'owner');
    expect([await kindOf(ann), await kindOf(bob)]).toEqual(['room', null]);
  });

  it('a message in a thread alone addresses nobody', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const root = await aMessage(ann, room);
    expect((await aMessage(ann, room, { text: '@room', thread: root._id.$oid })).mentions_all).toBe(null);
  });

  it('an edited message addresses the same people while its text does, and nobody else', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoomOf([ann, bob]);
    const edit = async ({ _id }: Message, text: string) =>
      (await call('PATCH', `/api/messages/${_id.$oid}`, { token: ann.token, body: { text } })).body as Message;
    const [sent, plain] = [await aMessage(ann, room, { text: '@room' }), await aMessage(ann, room, { text: 'Hello' })];
    expect((await edit(sent, '@room, please')).mentions_all).toBe('room');
    expect(await mentionsOf(bob, room)).toBe(1);
    expect((await edit(sent, 'never mind')).mentions_all).toBe(null);
    expect(await mentionsOf(bob, room)).toBe(0);
    expect((await edit(plain, '@room')).mentions_all).toBe(null);
    expect(await mentionsOf(bob, room)).toBe(0);
  });
});
