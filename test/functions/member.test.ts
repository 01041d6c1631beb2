import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../lib/database/client.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { conflict, denied, invalid, missing, missingEvery, noSuch, unauthenticated } from '../support/error-bodies.ts';
import { addMember, aRoom, aRoomWithEveryone, memberId, type TestRoom } from '../support/rooms.ts';
import { type Call, inProcess, transports } from '../support/transports.ts';

const { room, owner, moderator, member, user, admin } = await aRoomWithEveryone();
const [ownerId, moderatorId, memberIdHere] = await Promise.all(
  [owner, moderator, member].map((account) => memberId(room, account)),
);
const nobody = new ObjectId().toHexString();

describe.each(transports())('/api/members/{member}, %s', (_transport, call) => {
  const ask = (method: string, id: string | undefined, account: Account | undefined, body?: unknown) =>
    call(method, `/api/members/${id}`, { token: account?.token, body });

  it('GET /api/members/{member} returns a member to the members of the room and to admins', async () => {
    for (const account of [owner, moderator, admin]) {
      const { status, body } = await ask('GET', memberIdHere, account);
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          _id: { $oid: memberIdHere },
          room: { $oid: room.id },
          user: { $oid: member.id },
          username: member.username,
          role: 'member',
          joined_at: { $date: expect.any(String) },
        },
      });
    }
    expect((await ask('GET', memberIdHere, member)).body).toMatchObject({ room_name: 'General', last_read: 1, unread: 0 });
  });

  it.each<[string, string, string | undefined, Account | undefined, number, unknown]>([
    ['GET without a token', 'GET', memberIdHere, undefined, 401, unauthenticated],
    ['GET by a stranger, though the room is visible', 'GET', memberIdHere, user, 404, noSuch('member')],
    ['GET of an unknown member', 'GET', nobody, admin, 404, noSuch('member')],
    ['GET with a malformed id', 'GET', 'me', admin, 404, noSuch('member')],
    ['a kick by a stranger', 'DELETE', memberIdHere, user, 404, noSuch('member')],
    ['a kick by a member', 'DELETE', moderatorId, member, 403, denied('Room moderator required.')],
    ['a kick of an owner by a moderator', 'DELETE', ownerId, moderator, 403, denied('Room owner required.')],
    [
      'a kick of the last owner by an admin',
      'DELETE',
      ownerId,
      admin,
      409,
      conflict('The last owner must stay while others remain.'),
    ],
    ['the last owner leaving', 'DELETE', ownerId, owner, 409, conflict('The last owner must stay while others remain.')],
    [
      'a member leaving with a ban',
      'DELETE',
      `${memberIdHere}?ban=true`,
      member,
      400,
      invalid('ban', "be left out when one leaves: users can't ban themselves"),
    ],
    ['a kick with an invalid ban flag', 'DELETE', `${memberIdHere}?ban=yes`, owner, 400, invalid('ban', "be 'true' or 'false'")],
  ])('a request to a member is refused: %s', async (_what, method, id, account, status, refusal) => {
    const refused = await ask(method, id, account);
    expect({ status: refused.status, body: refused.body }).toEqual({ status, body: refusal });
    expect((await call('GET', room.path, { token: owner.token })).body).toMatchObject({
      members: [owner, member, moderator].map(({ id }) => ({ $oid: id })),
    });
  });

  describe('DELETE', () => {
    it.each<[string, 'self' | 'moderator' | 'owner' | 'admin', 'member' | 'moderator' | 'owner']>([
      ['lets a member leave', 'self', 'member'],
      ['lets one of two owners leave', 'self', 'owner'],
      ['lets a moderator kick a member', 'moderator', 'member'],
      ['lets an owner kick a moderator', 'owner', 'moderator'],
      ['lets an owner kick another owner', 'owner', 'owner'],
      ['lets an admin kick anyone', 'admin', 'owner'],
    ])('DELETE of a member %s', async (_what, by, role) => {
      const [target, helper] = [await anAccount(), await anAccount()];
      const created = await aRoom({ moderators: [helper] });
      const id = await addMember(created, target, role);
      const actors = { self: target, moderator: helper, owner: created.owner, admin };
      expect(await ask('DELETE', id, actors[by])).toMatchObject({ status: 204, body: '' });
      expect((await ask('GET', id, created.owner)).status).toBe(404);
      // A user who was not banned may join again.
      expect((await call('POST', '/api/members', { token: target.token, body: { room: created.id } })).status).toBe(201);
    });

    it('DELETE of a member with a ban keeps the user out until it is lifted', async () => {
      const target = await anAccount();
      const created = await aRoom({ members: [target] });
      const id = await memberId(created, target);
      const rejoin = async () => (await call('POST', '/api/members', { token: target.token, body: { room: created.id } })).status;
      expect((await ask('DELETE', `${id}?ban=true`, created.owner)).status).toBe(204);
      expect(await rejoin()).toBe(403);
      const lift = await call('DELETE', `/api/bans?room=${created.id}&user=${target.id}`, { token: created.owner.token });
      expect({ status: lift.status, body: lift.body }).toEqual({ status: 204, body: '' });
      expect(await rejoin()).toBe(201);
    });

    it('DELETE of a member lets the last member leave, and keeps the empty room', async () => {
      const created = await aRoom();
      expect((await ask('DELETE', await memberId(created, created.owner), created.owner)).status).toBe(204);
      expect((await call('GET', created.path, { token: admin.token })).body).toMatchObject({ members: [] });
    });
  });

  describe('PATCH role', () => {
    it.each<[string, 'owner' | 'admin']>([
      ['an owner', 'owner'],
      ['an admin', 'admin'],
    ])('PATCH of a role is allowed for %s', async (_who, by) => {
      const created = await aRoom({ members: [member] });
      const id = await memberId(created, member);
      for (const role of ['owner', 'moderator', 'member'] as const) {
        const { status, body } = await ask('PATCH', id, by === 'owner' ? created.owner : admin, { role });
        expect({ status, body }).toMatchObject({ status: 200, body: { _id: { $oid: id }, username: member.username, role } });
        expect((await ask('GET', id, member)).body).toMatchObject({ role });
      }
    });

    it('PATCH of a role lets an owner step down once there is another owner', async () => {
      const created = await aRoom({ members: [member] });
      const id = await memberId(created, created.owner);
      const refused = await ask('PATCH', id, created.owner, { role: 'member' });
      expect({ status: refused.status, body: refused.body }).toEqual({
        status: 409,
        body: conflict('The last owner must stay an owner.'),
      });
      await ask('PATCH', await memberId(created, member), created.owner, { role: 'owner' });
      expect(await ask('PATCH', id, created.owner, { role: 'member' })).toMatchObject({ status: 200, body: { role: 'member' } });
    });
  });

  describe('PATCH last_read', () => {
    it('PATCH of last_read moves the read marker only forwards, and counts unread messages', async () => {
      const { created, id, mine } = await aRoomWithMessages(call);
      // The places: 1 is the join, 2 to 4 are messages, 5 is an event, 6 and 7 are messages.
      expect(await mine()).toMatchObject({ seq: 7, last_read: 1, unread: 5 });
      const read = async (last_read: number) => (await ask('PATCH', id, created.owner, { last_read })).body;
      expect(await read(3)).toMatchObject({ last_read: 3, unread: 3 });
      expect(await read(2)).toMatchObject({ last_read: 3, unread: 3 });
      expect(await read(5)).toMatchObject({ last_read: 5, unread: 2 });
      expect(await read(0)).toMatchObject({ last_read: 5, unread: 2 });
      expect(await read(7)).toMatchObject({ last_read: 7, unread: 0 });
      expect(await mine()).toMatchObject({ seq: 7, last_read: 7, unread: 0 });
    });

    it('PATCH of last_read can be combined with a role', async () => {
      const { created, id } = await aRoomWithMessages(call);
      await addMember(created, admin, 'owner');
      const { status, body } = await ask('PATCH', id, created.owner, { role: 'moderator', last_read: 4 });
      expect({ status, body }).toMatchObject({ status: 200, body: { role: 'moderator', last_read: 4, unread: 2 } });
    });
  });

  it.each<[string, string | undefined, Account, object, number, unknown]>([
    [
      'nothing',
      memberIdHere,
      member,
      {},
      400,
      missingEvery('last_read', 'unread_from', 'is_muted', 'notify_of', 'is_favourite', 'favourite_order', 'role'),
    ],
    ['an unknown role', memberIdHere, owner, { role: 'king' }, 400, invalid('role', "be 'owner' or 'moderator' or 'member'")],
    [
      'a marker below 0',
      memberIdHere,
      member,
      { last_read: -1 },
      400,
      invalid('last_read', `be from 0 to ${Number.MAX_SAFE_INTEGER}`),
    ],
    [
      'a marker in the future',
      memberIdHere,
      member,
      { last_read: 9 },
      400,
      invalid('last_read', "be from 0 to 2, the room's 'seq'"),
    ],
    ["another's marker", memberIdHere, owner, { last_read: 1 }, 403, denied('You can only move your own read marker.')],
    [
      "another's marker by an admin, with a valid role",
      memberIdHere,
      admin,
      { last_read: 1, role: 'owner' },
      403,
      denied('You can only move your own read marker.'),
    ],
    ['a role by a moderator', memberIdHere, moderator, { role: 'moderator' }, 403, denied('Room owner required.')],
    [
      "a member's own role, with a valid marker",
      memberIdHere,
      member,
      { role: 'owner', last_read: 2 },
      403,
      denied('Room owner required.'),
    ],
    ['a role by a stranger', memberIdHere, user, { role: 'owner' }, 404, noSuch('member')],
    ['an unknown member', nobody, admin, { role: 'owner' }, 404, noSuch('member')],
    ['the role of the last owner', ownerId, admin, { role: 'moderator' }, 409, conflict('The last owner must stay an owner.')],
  ])('PATCH /api/members/{member} refuses to change %s', async (_what, id, account, body, status, refusal) => {
    const refused = await ask('PATCH', id, account, body);
    expect({ status: refused.status, body: refused.body }).toEqual({ status, body: refusal });
    expect((await ask('GET', memberIdHere, member)).body).toMatchObject({ role: 'member', last_read: 1 });
    expect((await ask('GET', ownerId, owner)).body).toMatchObject({ role: 'owner' });
  });
});

describe.each(transports())('/api/bans, %s', (_transport, call) => {
  const lift = (query: string, account: Account | undefined) => call('DELETE', `/api/bans${query}`, { token: account?.token });

  it.each<[string, 'moderator' | 'owner' | 'admin']>([
    ['a moderator', 'moderator'],
    ['an owner', 'owner'],
    ['an admin', 'admin'],
  ])('DELETE /api/bans is allowed for %s, and only for banned users', async (_who, by) => {
    const created = await aRoomThatBans(user);
    const actor = { moderator, owner: created.owner, admin }[by];
    const query = `?room=${created.id}&user=${user.id}`;
    expect(await lift(query, actor)).toMatchObject({ status: 204, body: '' });
    const again = await lift(query, actor);
    expect({ status: again.status, body: again.body }).toEqual({ status: 404, body: noSuch('ban') });
  });

  it('DELETE /api/bans refuses other people, unknown rooms and missing parameters', async () => {
    const created = await aRoomThatBans(user);
    const hidden = await aRoom({ is_visible: false });
    const cases: [string, Account | undefined, number, unknown][] = [
      [`?room=${created.id}&user=${user.id}`, undefined, 401, unauthenticated],
      [`?room=${created.id}&user=${user.id}`, user, 403, denied('Room moderator required.')],
      [`?room=${created.id}&user=${user.id}`, member, 403, denied('Room moderator required.')],
      [`?room=${hidden.id}&user=${user.id}`, user, 404, noSuch('room')],
      [`?room=${nobody}&user=${user.id}`, admin, 404, noSuch('room')],
      [`?room=${created.id}`, moderator, 400, missing('user')],
      [`?user=${user.id}`, moderator, 400, missing('room')],
    ];
    for (const [query, account, status, refusal] of cases) {
      const refused = await lift(query, account);
      expect({ query, status: refused.status, body: refused.body }).toEqual({ query, status, body: refusal });
    }
    expect((await lift(`?room=${created.id}&user=${user.id}`, moderator)).status).toBe(204);
  });
});

async function aRoomThatBans(banned: Account): Promise<TestRoom> {
  const created = await aRoom({ moderators: [moderator], members: [member, banned] });
  const id = await memberId(created, banned);
  await inProcess('DELETE', `/api/members/${id}?ban=true`, { token: created.owner.token });
  return created;
}

/**
 * A room with five messages in the format of `lib/collections/rooms/messages.ts`, and its owner's
 * membership.
 */
async function aRoomWithMessages(call: Call) {
  const owner = await anAccount();
  const created = await aRoom({ owner: await anAccount() });
  await addMember(created, owner, 'owner');
  await inProcess('DELETE', `/api/members/${await memberId(created, created.owner)}`, { token: admin.token });
  const room = new ObjectId(created.id);
  const seqs = [3, 4, 5, 7, 8].map((seq) => seq - 1);
  await database
    .collection('messages')
    .insertMany(seqs.map((seq, index) => ({ room, seq, ordinal: index + 1, user: room, text: '' })));
  await database.collection('rooms').updateOne({ _id: room }, { $set: { seq: 7, message_count: 5 } });
  const withOwner = { ...created, owner };
  const id = await memberId(withOwner, owner);
  const mine = async () => (await call('GET', `/api/members/${id}`, { token: owner.token })).body;
  return { created: withOwner, id, mine };
}
