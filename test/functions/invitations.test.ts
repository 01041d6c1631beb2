import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { changeUser } from '../../lib/accounts/accounts.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { NewInvitation } from '../../lib/members/invitations.ts';
import { type Account, aName, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { callThrough } from '../support/processes.ts';
import { anyDate, anyId, anyToken, outcome } from '../support/responses.ts';
import { endsOfRights } from '../support/rights.ts';
import { addMember, aRoom, aRoomWithEveryone, succeed, type TestRoom } from '../support/rooms.ts';
import { type Call, inProcess, type Reply, transports } from '../support/transports.ts';

const accounts = (count: number) => Promise.all(Array.from({ length: count }, () => anAccount()));

const invite = async (call: Call, room: TestRoom, body: object = {}): Promise<NewInvitation> =>
  (await succeed(call('POST', `${room.path}/invitations`, { token: room.owner.token, body }))).body as NewInvitation;
const accept = (call: Call, { token }: Account, invitation: unknown, more: object = {}): Promise<Reply> =>
  call('POST', '/api/members', { token, body: { invitation, ...more } });
const list = async (call: Call, { path, owner }: TestRoom) =>
  (await succeed(call('GET', `${path}/invitations`, { token: owner.token }))).body as NewInvitation[];
const expire = async ({ id }: TestRoom) => {
  const past = { 'invitations.0.expires_at': new Date(Date.now() - 1_000) };
  await rooms.updateOne({ _id: new ObjectId(id) }, { $set: past });
};
const noSuchInvitation = refusals.noSuch('invitation');

describe.each(transports())('the preview of an invitation (POST /api/invitations, %s)', (_transport, call) => {
  const show = (invitation: unknown, token?: string) =>
    call('POST', '/api/invitations', { body: { invitation }, ...(token !== undefined && { token }) });

  it('POST /api/invitations shows the room and the maker of a code without using it', async () => {
    const room = await aRoom({ name: 'Plans', is_open: false, is_visible: false });
    const { code } = await invite(call, room, { uses: 1 });
    const guest = await anAccount();
    const target = { room: { $oid: room.id }, room_name: 'Plans', username: room.owner.username };
    for (const token of [undefined, guest.token])
      expect(outcome(await show(code, token))).toEqual({ status: 200, body: { ...target, is_member: false } });
    expect((await show(code, room.owner.token)).body).toEqual({ ...target, is_member: true });
    expect((await accept(call, guest, code)).status).toBe(201);
    // It was its last use.
    expect(outcome(await show(code))).toEqual(noSuchInvitation);
  });

  it('POST /api/invitations tells nothing of an invitation that has expired, was revoked or is unknown', async () => {
    const room = await aRoom();
    const { code } = await invite(call, room);
    await expire(room);
    expect(outcome(await show(code))).toEqual(noSuchInvitation);
    const revoked = await invite(call, room);
    await succeed(call('DELETE', `${room.path}/invitations/${revoked._id.$oid}`, { token: room.owner.token }));
    expect(outcome(await show(revoked.code))).toEqual(noSuchInvitation);
    expect(outcome(await show('a'.repeat(32)))).toEqual(noSuchInvitation);
    expect(outcome(await show('short'))).toEqual(refusals.invalid('invitation', 'be the 32 characters of an invitation'));
  });
});

describe.each(transports())('/api/rooms/{room}/invitations, %s', (_transport, call) => {
  it('POST of an invitation invites into a hidden and closed room, without showing it to anyone else', async () => {
    const room = await aRoom({ is_open: false, is_visible: false });
    const guest = await anAccount();
    const created = await call('POST', `${room.path}/invitations`, { token: room.owner.token, body: {} });
    const { code } = created.body as NewInvitation;
    const shown = {
      _id: anyId,
      room: { $oid: room.id },
      hint: code.slice(-4),
      created_by: { $oid: room.owner.id },
      created_at: anyDate,
      expires_at: null,
      uses_left: null,
    };
    expect(outcome(created)).toEqual({ status: 201, body: { ...shown, code: anyToken } });
    expect(await list(call, room)).toEqual([shown]);

    expect(outcome(await call('GET', room.path, { token: guest.token }))).toEqual(refusals.noSuch('room'));
    expect(await accept(call, guest, code)).toMatchObject({
      status: 201,
      body: { room: { $oid: room.id }, user: { $oid: guest.id }, role: 'member', room_name: 'General', unread: 0 },
    });
    expect((await call('GET', room.path, { token: guest.token })).status).toBe(200);
  });

  it('POST of an invitation limits how often and until when it can be used', async () => {
    const room = await aRoom({ is_open: false });
    const [ann, bob, eve] = (await accounts(3)) as [Account, Account, Account];
    const { code } = await invite(call, room, { uses: 2 });
    expect((await accept(call, ann, code, { room: room.id })).status).toBe(201);
    expect(await list(call, room)).toMatchObject([{ uses_left: 1 }]);
    expect(outcome(await accept(call, ann, code))).toEqual(refusals.conflict('The user is already a member.'));
    expect((await accept(call, bob, code)).status).toBe(201);
    expect(outcome(await accept(call, eve, code))).toEqual(noSuchInvitation);
    expect(await list(call, room)).toEqual([]);

    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const soon = await invite(call, room, { expires_at: tomorrow });
    expect(soon.expires_at).toEqual({ $date: tomorrow });
    await expire(room);
    expect(outcome(await accept(call, eve, soon.code))).toEqual(noSuchInvitation);
    expect(await list(call, room)).toEqual([]);
  });

  it('DELETE of an invitation revokes it immediately', async () => {
    const room = await aRoom();
    const [first, second] = [await invite(call, room), await invite(call, room)];
    const path = `${room.path}/invitations/${first._id.$oid}`;
    const { token } = room.owner;
    expect(outcome(await call('DELETE', path, { token }))).toEqual({ status: 204, body: '' });
    expect(await list(call, room)).toMatchObject([{ _id: second._id }]);
    const guest = await anAccount();
    expect(outcome(await accept(call, guest, first.code))).toEqual(noSuchInvitation);
    expect(outcome(await call('DELETE', path, { token }))).toEqual(noSuchInvitation);
    expect((await accept(call, guest, second.code)).status).toBe(201);
  });

  it.each(endsOfRights(call))('an invitation ends when its maker %s, and those of others stay', async (_what, end) => {
    const room = await aRoom();
    const maker = await anAccount();
    const member = await addMember(room, maker, 'moderator');
    const theirs = await invite(call, { ...room, owner: maker });
    const others = await invite(call, room);
    await end(room, member, maker);
    expect(outcome(await accept(call, await anAccount(), theirs.code))).toEqual(noSuchInvitation);
    expect((await accept(call, await anAccount(), others.code)).status).toBe(201);
  });

  it('an invitation ends when its maker stops being an administrator, unless the maker is a moderator', async () => {
    // The last administrator must remain an administrator.
    const [maker] = [await anAdmin(), await anAdmin()];
    const [elsewhere, own] = [await aRoom(), await aRoom({ owner: maker })];
    const [ending, staying] = [await invite(call, { ...elsewhere, owner: maker }), await invite(call, own)];
    // Another one is left.
    await anAdmin();
    await changeUser(new ObjectId(maker.id), { is_admin: false });
    expect(outcome(await accept(call, await anAccount(), ending.code))).toEqual(noSuchInvitation);
    expect((await accept(call, await anAccount(), staying.code)).status).toBe(201);
  });

  it('members, moderators, owners and administrators can invite, and strangers cannot', async () => {
    const { room, owner, moderator, member, user, admin } = await aRoomWithEveryone({ is_visible: false });
    const noSuchRoom = refusals.noSuch('room');
    for (const maker of [owner, moderator, admin, member]) {
      const { _id, code } = await invite(call, { ...room, owner: maker });
      expect(await list(call, { ...room, owner: maker })).toMatchObject([{ _id }]);
      const path = `${room.path}/invitations/${_id.$oid}`;
      for (const [method, address] of [
        ['POST', `${room.path}/invitations`],
        ['GET', `${room.path}/invitations`],
        ['DELETE', path],
      ] as const)
        expect(outcome(await call(method, address, { token: user.token, body: {} }))).toEqual(noSuchRoom);
      expect((await accept(call, await anAccount(), code)).status).toBe(201);
      expect((await call('DELETE', path, { token: maker.token })).status).toBe(204);
    }
  });

  it('a member sees and revokes only the own invitations, a moderator those of everyone', async () => {
    const { room, owner, moderator, member } = await aRoomWithEveryone();
    const [own, others] = [await invite(call, { ...room, owner: member }), await invite(call, room)];
    expect(await list(call, { ...room, owner: member })).toMatchObject([{ _id: own._id }]);
    expect(await list(call, { ...room, owner: moderator })).toMatchObject([{ _id: own._id }, { _id: others._id }]);
    const revoke = ({ _id }: NewInvitation, { token }: Account) =>
      call('DELETE', `${room.path}/invitations/${_id.$oid}`, { token });
    expect(outcome(await revoke(others, member))).toEqual(noSuchInvitation);
    expect((await revoke(own, member)).status).toBe(204);
    const again = await invite(call, { ...room, owner: member });
    expect((await revoke(again, moderator)).status).toBe(204);
    expect(await list(call, { ...room, owner })).toMatchObject([{ _id: others._id }]);
  });

  it.each(endsOfRights(call).filter(([what]) => what !== 'is a moderator no longer'))(
    'the invitation of a member ends when the member %s',
    async (_what, end) => {
      const room = await aRoom();
      const maker = await anAccount();
      const member = await addMember(room, maker);
      const { code } = await invite(call, { ...room, owner: maker });
      await end(room, member, maker);
      expect(outcome(await accept(call, await anAccount(), code))).toEqual(noSuchInvitation);
    },
  );

  it('a member adds others to a room, also to a closed one, as members', async () => {
    const { room, member, user } = await aRoomWithEveryone({ is_open: false, is_visible: false });
    const body = { room: room.id, username: user.username };
    expect(await call('POST', '/api/members', { token: member.token, body })).toMatchObject({
      status: 201,
      body: { user: { $oid: user.id }, role: 'member' },
    });
  });

  it('an invitation admits no banned user, and nobody to an archived room', async () => {
    const room = await aRoom();
    const [banned, guest] = (await accounts(2)) as [Account, Account];
    const { code } = await invite(call, room, { uses: 1 });
    const { token } = room.owner;
    await succeed(call('DELETE', `/api/members/${await addMember(room, banned)}?ban=true`, { token }));
    expect(outcome(await accept(call, banned, code))).toEqual(refusals.denied('The user is banned from the room.'));
    await succeed(call('PATCH', `${room.path}/details`, { token, body: { archived: true } }));
    const isArchived = refusals.conflict('The room is archived.');
    expect(outcome(await accept(call, guest, code))).toEqual(isArchived);
    expect(outcome(await call('POST', `${room.path}/invitations`, { token, body: {} }))).toEqual(isArchived);
    await succeed(call('PATCH', `${room.path}/details`, { token, body: { archived: false } }));
    expect((await accept(call, guest, code)).status).toBe(201);
  });

  it.each<[string, object, unknown]>([
    ['for somebody else', { user: '0'.repeat(24) }, refusals.invalid('invitation', "not be combined with 'user'")],
    ['for somebody else by name', { username: 'bob' }, refusals.invalid('invitation', "not be combined with 'username'")],
    ['as an owner', { role: 'owner' }, refusals.invalid('invitation', "not be combined with 'role'")],
    ['to another room', { room: '0'.repeat(24) }, noSuchInvitation],
    ['that is malformed', { invitation: 'x' }, refusals.invalid('invitation', 'be the 32 characters of an invitation')],
    ['that does not exist', { invitation: 'a'.repeat(32) }, noSuchInvitation],
    ['that is an operator', { invitation: { $ne: '' } }, refusals.invalid('invitation', 'be the 32 characters of an invitation')],
  ])('POST /api/members admits nobody by an invitation %s', async (_what, body, refusal) => {
    const guest = await anAccount();
    const { code } = await invite(call, await aRoom());
    expect(outcome(await accept(call, guest, code, body))).toEqual(refusal);
    expect((await accept(call, guest, code)).status).toBe(201);
  });

  it.each<[string, object, unknown]>([
    ['no use at all', { uses: 0 }, refusals.invalid('uses', 'be from 1 to 10000')],
    ['too many uses', { uses: 10_001 }, refusals.invalid('uses', 'be from 1 to 10000')],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, refusals.invalid('expires_at', 'be in the future')],
    [
      'an end that is not a time',
      { expires_at: 'soon' },
      refusals.invalid('expires_at', "be a time such as '2026-11-21T04:04:42.123Z'"),
    ],
  ])('POST of an invitation refuses %s', async (_what, body, refusal) => {
    const room = await aRoom();
    expect(outcome(await call('POST', `${room.path}/invitations`, { token: room.owner.token, body }))).toEqual(refusal);
    expect((await invite(call, room, { uses: 1 })).uses_left).toBe(1);
  });

  it('an invitation lets someone sign up and join its room', async () => {
    const room = await aRoom({ is_open: false });
    const { code } = await invite(call, room, { uses: 1 });
    const username = aName();
    const person = { username, email: `${username}@example.org`, password: 'correct horse', invitation: code };
    // A sign-up that comes to nothing uses nothing.
    const taken = await call('POST', '/api/users', { body: { ...person, username: room.owner.username } });
    expect(outcome(taken)).toEqual(refusals.conflict('The username is already in use.'));
    const { status, body } = await call('POST', '/api/users', { body: person });
    expect(status).toBe(201);
    const { token } = body as { token: string };
    expect((await call('GET', '/api/members?user=me', { token })).body).toMatchObject([{ room: { $oid: room.id }, unread: 0 }]);
    const again = { ...person, username: aName(), email: `${aName()}@example.org` };
    expect(outcome(await call('POST', '/api/users', { body: again }))).toEqual(noSuchInvitation);
    expect((await call('GET', `/api/users?username=${again.username}`, { token })).body).toEqual([]);
  });
});

it('a room can have 50 invitations, not counting expired ones', async () => {
  const room = await aRoom();
  for (let count = 0; count < 50; count++) await invite(inProcess, room);
  const { token } = room.owner;
  expect(outcome(await inProcess('POST', `${room.path}/invitations`, { token, body: {} }))).toEqual(
    refusals.conflict('The room has too many invitations.'),
  );
  await expire(room);
  await invite(inProcess, room);
  expect(await list(inProcess, room)).toHaveLength(50);
});

it('a member can have 25 invitations to a room and all members 100, without reducing those of moderators', async () => {
  const people = await accounts(5);
  const room = await aRoom({ members: people });
  const tooMany = refusals.conflict('The room has too many invitations.');
  const create = async ({ token }: Account) => outcome(await inProcess('POST', `${room.path}/invitations`, { token, body: {} }));
  const [first, , , , last] = people as [Account, Account, Account, Account, Account];
  for (const owner of people.slice(0, 4)) for (let count = 0; count < 25; count++) await invite(inProcess, { ...room, owner });
  expect(await create(first)).toEqual(tooMany);
  expect(await create(last)).toEqual(tooMany);
  await invite(inProcess, room);
  await expire(room);
  expect(await create(first)).toMatchObject({ status: 201 });
  expect(await list(inProcess, room)).toHaveLength(101);
});

describe('a service that asks for invitations and leaves them to moderators', async () => {
  const { call, end } = await callThrough(4, { REGISTRATION: 'invited', ROOM_CREATION: 'admins', INVITATIONS: 'moderators' });
  afterAll(end);
  const signUp = (more: object = {}, token?: string) => {
    const username = aName();
    return call('POST', '/api/users', {
      token,
      body: { username, email: `${username}@example.org`, password: 'correct horse', ...more },
    });
  };

  it('nobody can sign up without an invitation if they are required, except through an administrator', async () => {
    const [user, admin] = [await anAccount(), await anAdmin()];
    const required = refusals.denied('An invitation is required.');
    expect(outcome(await signUp())).toEqual(required);
    expect(outcome(await signUp({}, user.token))).toEqual(required);
    expect((await signUp({}, admin.token)).status).toBe(201);
    expect((await signUp({ invitation: (await invite(call, await aRoom())).code })).status).toBe(201);
  });

  it('the last use of an invitation admits only one of twenty concurrent sign-ups, in several processes', async () => {
    const room = await aRoom();
    const { code } = await invite(call, room, { uses: 1 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => signUp({ invitation: code })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(404)]);
    expect((await call('GET', room.path, { token: room.owner.token })).body).toMatchObject({ members: [anyId, anyId] });
  });

  it('the last use of an invitation admits only one of twenty members, in several processes', async () => {
    const room = await aRoom();
    const { code } = await invite(call, room, { uses: 1 });
    const replies = await Promise.all((await accounts(20)).map((account) => accept(call, account, code)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(404)]);
    expect((await call('GET', room.path, { token: room.owner.token })).body).toMatchObject({ members: [anyId, anyId] });
  });

  it('only moderators invite and add people if INVITATIONS is moderators', async () => {
    const { room, moderator, member, user } = await aRoomWithEveryone();
    const required = refusals.denied('Room moderator required.');
    const path = `${room.path}/invitations`;
    const addition = { room: room.id, user: user.id };
    expect(outcome(await call('POST', path, { token: member.token, body: {} }))).toEqual(required);
    expect(outcome(await call('GET', path, { token: member.token }))).toEqual(required);
    const { _id } = await invite(call, room);
    expect(outcome(await call('DELETE', `${path}/${_id.$oid}`, { token: member.token }))).toEqual(required);
    expect(outcome(await call('POST', '/api/members', { token: member.token, body: addition }))).toEqual(required);
    expect((await call('POST', path, { token: moderator.token, body: {} })).status).toBe(201);
    expect((await call('POST', '/api/members', { token: moderator.token, body: addition })).status).toBe(201);
  });

  it('invitations by members do not work while INVITATIONS is moderators', async () => {
    const { room, owner, member } = await aRoomWithEveryone();
    const made = await invite(inProcess, { ...room, owner: member });
    expect(outcome(await accept(call, await anAccount(), made.code))).toEqual(noSuchInvitation);
    expect(await list(call, { ...room, owner })).toEqual([]);
    expect((await accept(inProcess, await anAccount(), made.code)).status).toBe(201);
  });

  it('only administrators create rooms if ROOM_CREATION is admins', async () => {
    const [user, admin] = [await anAccount(), await anAdmin()];
    const create = async ({ token }: Account) => outcome(await call('POST', '/api/directory', { token, body: { name: 'Ours' } }));
    expect(await create(user)).toEqual(refusals.denied('Admin required.'));
    expect(await create(admin)).toMatchObject({ status: 201, body: { name: 'Ours' } });
  });
});
