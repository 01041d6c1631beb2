import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { nextMillisecond } from '../support/clock.ts';
import { conflict, denied, invalid, missing, missingEvery, noSuch, unauthenticated } from '../support/error-bodies.ts';
import { aRoom, aRoomWithEveryone, everyPage, memberId, nextOf, succeed, type TestRoom } from '../support/rooms.ts';
import { inProcess, transports } from '../support/transports.ts';

const { room, owner, moderator, member, user, admin } = await aRoomWithEveryone({ name: 'Lounge' });
const closed = await aRoom({ owner, is_open: false, moderators: [moderator], members: [member] });
const hidden = await aRoom({ owner, is_visible: false, moderators: [moderator], members: [member] });
const archived = await aRoom({ owner, archived: true });
const banned = await anAccount();
const banning = await aRoom({ owner, members: [banned] });
await succeed(inProcess('DELETE', `/api/members/${await memberId(banning, banned)}?ban=true`, { token: owner.token }));
const nowhere = new ObjectId().toHexString();
const objectId = { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) };
const aDate = { $date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) };

const allRead = { unread: 0, unread_mentions: 0, is_muted: false, notify_of: null, is_favourite: false };
const row = (account: Account, role: string, id = room.id) => ({
  _id: objectId,
  room: { $oid: id },
  user: { $oid: account.id },
  username: account.username,
  role,
  joined_at: aDate,
});
const ownRow = (account: Account, role: string, own: object) => ({ ...row(account, role), ...allRead, ...own });

describe.each(transports())('/api/members, %s', (_transport, call) => {
  const join = (account: Account, body: object) => call('POST', '/api/members', { token: account.token, body });

  describe('GET ?room=', () => {
    it('GET /api/members?room= lists the members with their names to a member, with more fields in its own row', async () => {
      const { status, body } = await call('GET', `/api/members?room=${room.id}`, { token: member.token });
      expect({ status, body }).toEqual({
        status: 200,
        body: [
          row(owner, 'owner'),
          ownRow(member, 'member', { room_name: 'Lounge', seq: 2, last_read: 1 }),
          row(moderator, 'moderator'),
        ],
      });
    });

    it('GET /api/members?room= lists the members to admins', async () => {
      const { status, body } = await call('GET', `/api/members?room=${room.id}`, { token: admin.token });
      const rows = [row(owner, 'owner'), row(member, 'member'), row(moderator, 'moderator')];
      expect({ status, body }).toEqual({ status: 200, body: rows });
    });

    it('GET /api/members?room= pages through the members, each on one page, even when one leaves meanwhile', async () => {
      const accounts = await Promise.all(Array.from({ length: 4 }, () => anAccount()));
      const created = await aRoom({ owner, members: accounts });
      const ids = await Promise.all(accounts.map((account) => memberId(created, account)));
      const all = `/api/members?room=${created.id}&limit=2`;
      const first = await call('GET', all, { token: owner.token });
      // The last member of the first page leaves; the next page starts after it.
      await call('DELETE', `/api/members/${ids[0]}`, { token: owner.token });
      const rest = await everyPage(call, nextOf(first) ?? '', owner.token);
      expect((first.body as unknown[]).length).toBe(2);
      expect(rest.map(({ _id }) => _id.$oid)).toEqual(ids.slice(1));
    });
  });

  describe('GET ?user=me', () => {
    it("GET /api/members?user=me lists the caller's own rooms, the most recently active first", async () => {
      const me = await anAccount();
      const one = await aRoom({ name: 'One', members: [me] });
      const two = await aRoom({ name: 'Two', members: [me], is_visible: false });
      await nextMillisecond();
      const three = await aRoom({ name: 'Three', owner: me });
      await nextMillisecond();
      await call('PATCH', one.path, { token: one.owner.token, body: { is_open: false } });
      const { status, body } = await call('GET', '/api/members?user=me', { token: me.token });
      const own = (name: string, id: string, role: string, seq: number, last_read: number) => ({
        ...row(me, role, id),
        ...{ room_name: name, room_is_open: name !== 'One', seq, last_read, ...allRead, unread_threads: 0 },
      });
      expect({ status, body }).toEqual({
        status: 200,
        body: [own('One', one.id, 'member', 2, 1), own('Three', three.id, 'owner', 0, 0), own('Two', two.id, 'member', 2, 1)],
      });
    });

    it('GET /api/members?user=me is empty for a user without rooms', async () => {
      const { token } = await anAccount();
      const { status, body, headers } = await call('GET', '/api/members?user=me', { token });
      expect({ status, body, link: headers.link }).toEqual({ status: 200, body: [], link: undefined });
    });

    it('GET /api/members?user=me pages through the rooms, and skips or repeats none when others become active or are deleted', async () => {
      const me = await anAccount();
      const created: TestRoom[] = [];
      for (let index = 0; index < 7; index++) created.push(await aRoom({ name: `Room ${index}`, owner: me }));
      const namesOf = (rows: unknown[]) => (rows as { room_name: string }[]).map(({ room_name }) => room_name);
      const before = namesOf(await everyPage(call, '/api/members?user=me', me.token));
      const roomOf = (name: string | undefined) => created[Number(name?.slice('Room '.length))]?.path ?? '';
      const [, , deleted, , , , busy] = before;
      let pages = 0;
      const rows = await everyPage(call, '/api/members?user=me&limit=2', me.token, async () => {
        pages += 1;
        // Of the rooms on later pages, one is deleted and one becomes the most recently active.
        if (pages === 1) await call('DELETE', roomOf(deleted), { token: admin.token });
        if (pages === 1) await call('PATCH', roomOf(busy), { token: me.token, body: { name: 'Busy' } });
      });
      expect(namesOf(rows)).toEqual(before.filter((name) => name !== deleted && name !== busy));
      expect(pages).toBe(2);
    });
  });

  describe('GET ?user={user}', () => {
    it('GET /api/members?user={user} lists the memberships of another user in shared rooms only', async () => {
      const [me, other] = [await anAccount(), await anAccount()];
      const one = await aRoom({ owner: me, members: [other], is_visible: false });
      await nextMillisecond();
      const two = await aRoom({ owner: other, members: [me] });
      await aRoom({ owner: other });
      await aRoom({ owner: me });
      const path = `/api/members?user=${other.id}`;
      const all = [row(other, 'owner', two.id), row(other, 'member', one.id)];
      expect((await call('GET', path, { token: me.token })).body).toEqual(all);
      expect(await everyPage(call, `${path}&limit=1`, me.token)).toEqual(all);
      // Also an administrator sees only what they share.
      expect((await call('GET', path, { token: admin.token })).body).toEqual([]);
      expect((await call('GET', `/api/members?user=${nowhere}`, { token: me.token })).body).toEqual([]);

      const { body: talk } = await call('POST', '/api/conversations', { token: me.token, body: { users: [other.username] } });
      const { $oid: direct } = (talk as { _id: { $oid: string } })._id;
      const roomsOf = async () =>
        ((await call('GET', path, { token: me.token })).body as { room: { $oid: string } }[]).map(({ room: { $oid } }) => $oid);
      expect(await roomsOf()).toContain(direct);
      await call('POST', '/api/blocks', { token: me.token, body: { user: other.id } });
      expect(await roomsOf()).not.toContain(direct);
    });

    it("GET /api/members?user={user} lists the caller's own rooms by the caller's own id as well", async () => {
      const me = await anAccount();
      await aRoom({ owner: me });
      const [byId, byWord] = [me.id, 'me'].map((user) => call('GET', `/api/members?user=${user}`, { token: me.token }));
      expect((await byId)?.body).toEqual((await byWord)?.body);
    });
  });

  describe('POST', () => {
    it('POST /api/members joins an open room without unread messages', async () => {
      const me = await anAccount();
      const created = await aRoom({ owner, name: 'Open' });
      const { status, body } = await join(me, { room: { $oid: created.id } });
      expect({ status, body }).toEqual({
        status: 201,
        body: { ...row(me, 'member', created.id), room_name: 'Open', seq: 1, last_read: 1, ...allRead },
      });
      expect((await call('GET', created.path, { token: me.token })).body).toMatchObject({
        members: [{ $oid: owner.id }, { $oid: me.id }],
      });
    });

    it.each<[string, Account, typeof room, string | undefined]>([
      ['by a moderator', moderator, closed, undefined],
      ['by a moderator, as a member', moderator, hidden, 'member'],
      ['by an owner, as a moderator', owner, closed, 'moderator'],
      ['by an owner, as an owner', owner, hidden, 'owner'],
      ['by an admin who is not a member, as an owner', admin, hidden, 'owner'],
    ])('POST /api/members adds another user, %s', async (_who, { token }, to, role) => {
      const other = await anAccount();
      const body = { room: to.id, user: other.id, role };
      const answered = await call('POST', '/api/members', { token, body });
      expect({ status: answered.status, body: answered.body }).toEqual({
        status: 201,
        body: row(other, role ?? 'member', to.id),
      });
    });

    it('POST /api/members lets admins join closed and hidden rooms, in any role', async () => {
      expect(
        await join(admin, { room: (await aRoom({ owner, is_open: false, is_visible: false })).id, role: 'owner' }),
      ).toMatchObject({
        status: 201,
        body: { role: 'owner', user: { $oid: admin.id } },
      });
    });
  });

  it('POST /api/members admits the 1 000th member to a room, and no further one', async () => {
    const created = await aRoom();
    const crowd = Array.from({ length: 998 }, () => ({
      _id: new ObjectId(),
      user: new ObjectId(),
      role: 'member' as const,
      joined_at: new Date(),
    }));
    await rooms.updateOne({ _id: new ObjectId(created.id) }, { $push: { members: { $each: crowd } } });
    expect((await join(user, { room: created.id })).status).toBe(201);
    const refused = await join(moderator, { room: created.id });
    expect({ status: refused.status, body: refused.body }).toEqual({ status: 409, body: conflict('The room is full.') });
    await call('DELETE', created.path, { token: admin.token });
  });

  describe('requests to /api/members that are refused and change nothing', () => {
    it.each<[string, Account | undefined, object, number, unknown]>([
      ['without a token', undefined, { room: room.id }, 401, unauthenticated],
      ['without a room', user, { user: user.id }, 400, missing('room')],
      ['a malformed room id', user, { room: { $gt: '' } }, 400, invalid('room', 'be an id of 24 hexadecimal characters')],
      [
        'an unknown role',
        owner,
        { room: room.id, user: user.id, role: 'king' },
        400,
        invalid('role', "be 'owner' or 'moderator' or 'member'"),
      ],
      ['joining an unknown room', user, { room: nowhere }, 404, noSuch('room')],
      ['joining a hidden room, even if it is open', user, { room: hidden.id }, 404, noSuch('room')],
      ['joining a closed room', user, { room: closed.id }, 403, denied('The room is closed.')],
      ['joining an archived room', user, { room: archived.id }, 409, conflict('The room is archived.')],
      ['joining as an owner', user, { room: room.id, role: 'owner' }, 403, denied('Room owner required.')],
      ['joining twice', member, { room: room.id }, 409, conflict('The user is already a member.')],
      ['joining a room as a banned user', banned, { room: banning.id }, 403, denied('The user is banned from the room.')],
      ['adding a banned user', owner, { room: banning.id, user: banned.id }, 403, denied('The user is banned from the room.')],
      [
        'adding a banned user, as an admin',
        admin,
        { room: banning.id, user: banned.id },
        403,
        denied('The user is banned from the room.'),
      ],
      [
        'giving a role, as a member',
        member,
        { room: room.id, user: user.id, role: 'moderator' },
        403,
        denied('Room owner required.'),
      ],
      ['adding a user, as a stranger', user, { room: room.id, user: admin.id }, 403, denied('Room membership required.')],
      ['adding a user to a hidden room, as a stranger', user, { room: hidden.id, user: admin.id }, 404, noSuch('room')],
      [
        'giving a role, as a moderator',
        moderator,
        { room: room.id, user: user.id, role: 'moderator' },
        403,
        denied('Room owner required.'),
      ],
      ['adding an unknown user', owner, { room: room.id, user: nowhere }, 404, noSuch('user')],
      ['adding a member', owner, { room: room.id, user: member.id }, 409, conflict('The user is already a member.')],
      ['adding to an archived room', owner, { room: archived.id, user: user.id }, 409, conflict('The room is archived.')],
    ])('POST /api/members is refused: %s', async (_what, account, body, status, refusal) => {
      const refused = await call('POST', '/api/members', { token: account?.token, body });
      expect({ status: refused.status, body: refused.body }).toEqual({ status, body: refusal });
      expect((await call('GET', room.path, { token: admin.token })).body).toMatchObject({
        members: [owner, member, moderator].map(({ id }) => ({ $oid: id })),
      });
    });

    it('POST /api/members refuses a deactivated user', async () => {
      const gone = await anAccount();
      const { database } = await import('../../lib/database/client.ts');
      await database.collection('users').updateOne({ _id: new ObjectId(gone.id) }, { $set: { is_active: false } });
      expect(await join(owner, { room: room.id, user: gone.id })).toMatchObject({ status: 404, body: noSuch('user') });
    });

    it.each<[string, string, Account, number, unknown]>([
      ['a list without a filter', '', user, 400, missingEvery('room', 'user')],
      ['a list with both filters', `?room=${room.id}&user=me`, member, 400, invalid('user', "not be combined with 'room'")],
      ["nobody's rooms", '?user=you', user, 400, invalid('user', "be 'me' or an id of 24 hexadecimal characters")],
      [
        "another's rooms since a time",
        `?user=${owner.id}&since=2026-01-01T00:00:00Z`,
        member,
        400,
        invalid('since', "not be combined with another user's id"),
      ],
      ['a limit of 201', `?room=${room.id}&limit=201`, member, 400, invalid('limit', 'be from 1 to 200')],
      [
        'a cursor of another list',
        `?user=me&after=${room.id}`,
        member,
        400,
        invalid('after', "be a cursor from this list's Link header"),
      ],
      [
        'a malformed cursor',
        '?user=me&after=x',
        member,
        400,
        invalid('after', "be a member's id or a cursor from the list's Link header"),
      ],
      ['the members, to a stranger', `?room=${room.id}`, user, 403, denied('Room membership required.')],
      ['the members of a hidden room, to a stranger', `?room=${hidden.id}`, user, 404, noSuch('room')],
      ['the members of an unknown room', `?room=${nowhere}`, admin, 404, noSuch('room')],
    ])('GET /api/members is refused: %s', async (_what, query, { token }, status, refusal) => {
      const refused = await call('GET', `/api/members${query}`, { token });
      expect({ status: refused.status, body: refused.body }).toEqual({ status, body: refusal });
      expect((await call('GET', `/api/members?room=${room.id}`, { token: member.token })).status).toBe(200);
    });
  });
});
