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

  it('POST /api/invitations tells those who have a code to which room it leads and who made it, and uses it up for nobody', async () => {
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

  it('an invitation ends when its maker is no longer an administrator, unless the maker is a moderator', async () => {
    // The last administrator must stay one.
    const [maker] = [await anAdmin(), await anAdmin()];
    const [elsewhere, own] = [await aRoom(), await aRoom({ owner: maker })];
    const [ending, staying] = [await invite(call, { ...elsewhere, owner: maker }), await invite(call, own)];
    await changeUser(new ObjectId(maker.id), { is_admin: false });
    expect(outcome(await accept(call, await anAccount(), ending.code))).toEqual(noSuchInvitation);
    expect((await accept(call, await anAccount(), staying.code)).status).toBe(201);
  });

  it('invitations are for moderators, owners and administrators', async () => {
    const { room, owner, moderator, member, user, admin } = await aRoomWithEveryone({ is_visible: false });
    for (const { token } of [owner, moderator, admin]) {
      const { status, body } = await call('POST', `${room.path}/invitations`, { token, body: {} });
      expect(status).toBe(201);
      expect((await call('GET', `${room.path}/invitations`, { token })).status).toBe(200);
      const path = `${room.path}/invitations/${(body as NewInvitation)._id.$oid}`;
      for (const [other, refusal] of [
        [member, refusals.denied('Room moderator required.')],
        [user, refusals.noSuch('room')],
      ] as const) {
        expect(outcome(await call('POST', `${room.path}/invitations`, { token: other.token, body: {} }))).toEqual(refusal);
        expect(outcome(await call('GET', `${room.path}/invitations`, { token: other.token }))).toEqual(refusal);
        expect(outcome(await call('DELETE', path, { token: other.token }))).toEqual(refusal);
      }
      expect((await call('DELETE', path, { token })).status).toBe(204);
    }
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

describe('sign-ups that need an invitation, while everyone may create rooms', async () => {
  const { call, end } = await callThrough(2, { REGISTRATION: 'invited', ROOM_CREATION: 'users' });
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

  it('a user who creates a room owns it, and still does not see all rooms', async () => {
    const user = await anAccount();
    const { status, body } = await call('POST', '/api/rooms', { token: user.token, body: { name: 'Ours' } });
    expect({ status, body }).toMatchObject({ status: 201, body: { name: 'Ours', members: [{ $oid: user.id }] } });
    const path = `/api/rooms/${(body as { _id: { $oid: string } })._id.$oid}`;
    expect((await call('PATCH', path, { token: user.token, body: { is_visible: false } })).status).toBe(200);
    expect((await call('GET', '/api/rooms', { token: user.token })).status).toBe(403);
    expect((await call('POST', '/api/rooms', { body: { name: 'Ours' } })).status).toBe(401);
  });
});
