import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { events } from '../../lib/collections/rooms/events.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { callThrough } from '../support/processes.ts';
import { addMember, aRoom, memberId, type TestRoom } from '../support/rooms.ts';

// A room of 60 fills up like one of 1,000, but faster.
const { call, end } = await callThrough(5, { ROOM_MEMBERS: '60' });
afterAll(end);

const admin = await anAdmin();
const accounts = await Promise.all(Array.from({ length: 50 }, () => anAccount()));
const rounds = Array.from({ length: 10 }, (_, index) => index + 1);

const join = ({ token }: Account, { id }: TestRoom) => call('POST', '/api/members', { token, body: { room: id } });
const remove = ({ token }: Account, id: string, query = '') => call('DELETE', `/api/members/${id}${query}`, { token });
const stored = async ({ id }: TestRoom) => {
  const room = await rooms.findOne({ _id: new ObjectId(id) });
  if (!room) throw new Error(`no room ${id}`);
  return room;
};
const tally = (statuses: number[]) => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Requires that each change of a room has a separate place and an event there. */
async function expectEventsWithoutGap(room: TestRoom) {
  const [{ seq }, found] = [await stored(room), await events.find({ room: new ObjectId(room.id) }).toArray()];
  expect(found.map((event) => event.seq).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: seq }, (_, index) => index + 1),
  );
}

describe('concurrent changes of members, from several processes', () => {
  it('50 concurrent joins for the last 10 places add 10 members', async () => {
    const room = await aRoom();
    const strangers = Array.from({ length: 49 }, () => ({
      _id: new ObjectId(),
      user: new ObjectId(),
      role: 'member' as const,
      joined_at: new Date(),
    }));
    await rooms.updateOne({ _id: new ObjectId(room.id) }, { $push: { members: { $each: strangers } } });
    const replies = await Promise.all(accounts.map((account) => join(account, room)));
    expect(tally(replies.map(({ status }) => status))).toEqual({ 201: 10, 409: 40 });
    expect(new Set(replies.filter(({ status }) => status === 409).map(({ body }) => JSON.stringify(body)))).toEqual(
      new Set(['{"title":"Conflict","description":"The room is full.","code":"room_full"}']),
    );
    expect((await stored(room)).members).toHaveLength(60);
    await expectEventsWithoutGap(room);
  });

  it('20 concurrent joins of one user add one member', async () => {
    const room = await aRoom();
    const [account] = accounts as [Account];
    const replies = await Promise.all(Array.from({ length: 20 }, () => join(account, room)));
    expect(tally(replies.map(({ status }) => status))).toEqual({ 201: 1, 409: 19 });
    expect((await stored(room)).members).toHaveLength(2);
  });

  it.each(rounds)('one of two owners who leave a room with a member concurrently stays (%i)', async () => {
    const [one, two, member] = accounts as [Account, Account, Account];
    const room = await aRoom({ owner: one, members: [member] });
    const [oneId, twoId] = [await memberId(room, one), await addMember(room, two, 'owner')];
    const replies = await Promise.all([remove(one, oneId), remove(two, twoId)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    expect((await stored(room)).members.filter(({ role }) => role === 'owner')).toHaveLength(1);
  });

  it.each(rounds)('one owner stays when two owners demote and remove each other concurrently (%i)', async () => {
    const [one, two] = accounts as [Account, Account];
    const room = await aRoom({ owner: one });
    const [oneId, twoId] = [await memberId(room, one), await addMember(room, two, 'owner')];
    const demote = call('PATCH', `/api/members/${twoId}`, { token: one.token, body: { role: 'member' } });
    const replies = await Promise.all([demote, remove(two, oneId)]);
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
    expect((await stored(room)).members.filter(({ role }) => role === 'owner')).toHaveLength(1);
  });

  it.each(rounds)('a ban and joins of the banned user never result in a banned member (%i)', async () => {
    const [account] = accounts as [Account];
    const room = await aRoom({ members: [account] });
    const id = await memberId(room, account);
    const replies = await Promise.all([
      join(account, room),
      remove(account, id).then(() => join(account, room)),
      remove(room.owner, id, '?ban=true'),
      join(account, room),
    ]);
    const { members, banned } = await stored(room);
    const isMember = members.some(({ user }) => user.toHexString() === account.id);
    // Either the ban was first, or the member had left before and may have joined again as a new
    // member.
    expect(isMember && banned.length > 0).toBe(false);
    expect(banned).toHaveLength(replies[2].status === 204 ? 1 : 0);
    await expectEventsWithoutGap(room);
  });

  it('nobody joins a room while it is closed, however the flags flip', async () => {
    const room = await aRoom();
    const flips = (async () => {
      for (let flip = 0; flip < 40; flip++) {
        await call('PATCH', room.path, { token: room.owner.token, body: { is_open: flip % 2 === 0 } });
      }
    })();
    const replies = await Promise.all(accounts.map((account) => join(account, room)));
    await flips;
    // In the order of places, each join happened while the room was open.
    const found = await events.find({ room: new ObjectId(room.id) }, { sort: { seq: 1 } }).toArray();
    let isOpen = true;
    let flip = 0;
    for (const { type } of found) {
      if (type === 'room.changed') isOpen = flip++ % 2 === 0;
      else expect({ type, isOpen }).toEqual({ type: 'member.joined', isOpen: true });
    }
    expect(found.filter(({ type }) => type === 'member.joined')).toHaveLength(
      replies.filter(({ status }) => status === 201).length,
    );
    expect(replies.every(({ status }) => status === 201 || status === 403)).toBe(true);
    await expectEventsWithoutGap(room);
  });

  it.each(rounds)('a moderator who is demoted while kicking a member does so before it or not at all (%i)', async () => {
    const [moderator, target] = accounts as [Account, Account];
    const room = await aRoom({ moderators: [moderator], members: [target] });
    const [moderatorId, targetId] = [await memberId(room, moderator), await memberId(room, target)];
    const [, kick] = await Promise.all([
      call('PATCH', `/api/members/${moderatorId}`, { token: room.owner.token, body: { role: 'member' } }),
      remove(moderator, targetId),
    ]);
    const found = await events.find({ room: new ObjectId(room.id) }, { sort: { seq: 1 } }).toArray();
    const order = found.slice(2).map(({ type }) => type);
    expect(order).toEqual(kick.status === 204 ? ['member.kicked', 'member.changed'] : ['member.changed']);
    expect([204, 403]).toContain(kick.status);
  });

  it('concurrent deletions of one room leave nothing, and each succeeds or finds the room gone', async () => {
    const room = await aRoom({ members: accounts.slice(0, 3) });
    const replies = await Promise.all([
      ...Array.from({ length: 6 }, () => call('DELETE', room.path, { token: admin.token })),
      ...accounts.slice(3, 9).map((account) => join(account, room)),
    ]);
    const deletions = replies.slice(0, 6).map(({ status }) => status);
    expect(deletions).toContain(204);
    expect(deletions.every((status) => status === 204 || status === 404)).toBe(true);
    expect((await call('GET', room.path, { token: admin.token })).status).toBe(404);
    expect(await rooms.countDocuments({ _id: new ObjectId(room.id) })).toBe(0);
  });
});
