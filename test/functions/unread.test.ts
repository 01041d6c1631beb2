import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Event } from '../../lib/feed/events.ts';
import type { Member } from '../../lib/members/members.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { aMessage } from '../support/messages.ts';
import { addMember, age, aRoom, aRoomOf, memberId } from '../support/rooms.ts';
import { inProcess, transports } from '../support/transports.ts';

describe.each(transports())('the unread count, %s', (_transport, call) => {
  const mine = async (room: string, { token }: Account) => {
    const { body } = await call('GET', '/api/members?user=me&limit=200', { token });
    return (body as Member[]).find((member) => member.room.$oid === room);
  };
  const markRead = async (room: string, account: Account, last_read: number) => {
    const member = await mine(room, account);
    return call('PATCH', `/api/members/${member?._id.$oid}`, { token: account.token, body: { last_read } });
  };

  it('the unread count counts the messages after the marker, which only moves forwards', async () => {
    const [ada, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ada, bob]);
    const { _id } = await aMessage(ada, room);
    await call('PATCH', `/api/messages/${_id.$oid}`, { token: ada.token, body: { text: 'Other' } });
    for (let times = 0; times < 2; times++) await aMessage(ada, room);
    expect(await mine(room, bob)).toMatchObject({ seq: 4, last_read: 0, unread: 3 });
    const steps = [
      [2, { last_read: 2, unread: 2 }],
      [3, { last_read: 3, unread: 1 }],
      [1, { last_read: 3, unread: 1 }],
      [4, { last_read: 4, unread: 0 }],
    ] as const;
    for (const [seq, expected] of steps) {
      expect(await markRead(room, bob, seq)).toMatchObject({ status: 200, body: expected });
      expect(await mine(room, bob)).toMatchObject(expected);
    }
  });

  it('the unread count excludes a message whose function was killed, once a feed has closed the gap', async () => {
    const [ada, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ada, bob]);
    await aMessage(ada, room);
    await markRead(room, bob, 1);
    const lose = { $inc: { seq: 1, message_count: 1 }, $currentDate: { changed_at: true, last_message_at: true } } as const;
    await rooms.updateOne({ _id: new ObjectId(room) }, lose);
    expect(await mine(room, bob)).toMatchObject({ last_read: 1, unread: 1 });
    await age(room);
    await inProcess('GET', `/api/events?room=${room}&after=1`, { token: bob.token });
    expect(await mine(room, bob)).toMatchObject({ last_read: 1, unread: 0 });
    const { body } = await call('GET', `/api/rooms/${room}/details`, { token: bob.token });
    expect(body).toMatchObject({ message_count: 1 });
  });
});

describe.each(transports())('members and rooms in /api/events, %s', (_transport, call) => {
  it('members and rooms in /api/events are shown as they are now', async () => {
    const room = await aRoom();
    const [staying, leaving] = await Promise.all([anAccount(), anAccount()]);
    await addMember(room, staying);
    const left = await addMember(room, leaving);
    await call('DELETE', `/api/members/${left}`, { token: leaving.token });
    const path = `/api/members/${await memberId(room, staying)}`;
    await call('PATCH', path, { token: room.owner.token, body: { role: 'moderator' } });
    await call('PATCH', room.path, { token: room.owner.token, body: { name: 'Other' } });

    const { body: member } = await call('GET', path, { token: room.owner.token });
    const gone = { _id: { $oid: left }, user: { $oid: leaving.id }, username: leaving.username, role: null, joined_at: null };
    const { body: shown } = await call('GET', room.path, { token: room.owner.token });
    const { body } = await call('GET', `/api/events?room=${room.id}&after=0`, { token: room.owner.token });
    expect((body as Event[]).map(({ type, data }) => [type, data])).toEqual([
      ['member.joined', member],
      ['member.joined', { ...gone, room: { $oid: room.id } }],
      ['member.left', { ...gone, room: { $oid: room.id } }],
      ['member.changed', member],
      ['room.changed', shown],
    ]);
  });
});
