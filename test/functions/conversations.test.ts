import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import type { Member } from '../../lib/members/members.ts';
import type { Room } from '../../lib/rooms/rooms.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { anyId, outcome } from '../support/responses.ts';
import { aRoom, succeed } from '../support/rooms.ts';
import { inProcess, type Reply, transports } from '../support/transports.ts';

const accounts = (count: number) => Promise.all(Array.from({ length: count }, () => anAccount()));
const isDirect = refusals.conflict('The room is a direct conversation.');

describe.each(transports())('POST /api/conversations, %s', (_transport, call) => {
  const open = ({ token }: Account, users: unknown): Promise<Reply> =>
    call('POST', '/api/conversations', { token, body: { users } });
  const opened = async (account: Account, ...others: Account[]): Promise<Room> => {
    const users = others.map(({ username }) => username);
    return (await succeed(open(account, users))).body as Room;
  };
  const roomsOf = async ({ token }: Account): Promise<Member[]> =>
    (await succeed(call('GET', '/api/members?user=me&limit=200', { token }))).body as Member[];
  const block = ({ token }: Account, { id: user }: Account): Promise<Reply> =>
    succeed(call('POST', '/api/blocks', { token, body: { user } }));

  it('POST /api/conversations gives the room of exactly these people: hidden, closed, without a name and without an owner', async () => {
    const [ann, bob] = (await accounts(2)) as [Account, Account];
    const reply = await open(ann, [bob.username]);
    expect(outcome(reply)).toEqual({
      status: 201,
      body: { _id: anyId, name: '', members: [{ $oid: ann.id }, { $oid: bob.id }], is_open: false, is_visible: false },
    });
    const room = reply.body as Room;
    const { body } = await call('GET', `/api/rooms/${room._id.$oid}/details`, { token: bob.token });
    expect(body).toMatchObject({ is_direct: true, member_count: 2, created_by: { $oid: ann.id } });
    const members = (await call('GET', `/api/members?room=${room._id.$oid}`, { token: bob.token })).body as Member[];
    expect(members.map(({ role }) => role)).toEqual(['member', 'member']);
  });

  it('POST /api/conversations gives the same people the same room, by ids or names, and gives other people another one', async () => {
    const [ann, bob, eve] = (await accounts(3)) as [Account, Account, Account];
    const first = await opened(ann, bob, eve);
    for (const [asker, users] of [
      [bob, [ann.id, { $oid: eve.id }]],
      [eve, [bob.username.toUpperCase(), ann.username, ann.id, eve.id]],
    ] as const) {
      expect(await open(asker, users)).toMatchObject({ status: 201, body: { _id: first._id } });
    }
    expect((await opened(ann, bob))._id).not.toEqual(first._id);
  });

  it('POST /api/conversations gives ten people who open it concurrently one room', async () => {
    const people = await accounts(9);
    const names = people.map(({ username }) => username);
    const replies = await Promise.all(
      [...people, people[0] as Account].map((one) =>
        open(
          one,
          names.filter((name) => name !== one.username),
        ),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const opened = replies.map(({ body }) => body as Room);
    expect(new Set(opened.map(({ _id }) => _id.$oid)).size).toBe(1);
    for (const { members } of opened) expect(members).toHaveLength(9);
  });

  it('POST /api/conversations shows the room to each of its people with the names of the others, and lets all of them talk', async () => {
    const [ann, bob] = (await accounts(2)) as [Account, Account];
    const { _id } = await opened(ann, bob);
    await aMessage(ann, _id.$oid, { text: 'Hello' }, call);
    const others = [{ _id: { $oid: ann.id }, username: ann.username }];
    expect(await roomsOf(bob)).toEqual([expect.objectContaining({ room: _id, room_name: '', unread: 1, others })]);
    await aMessage(bob, _id.$oid, { text: 'Hello yourself' }, call);
    expect(await roomsOf(ann)).toMatchObject([{ room: _id, unread: 1, others: [{ username: bob.username }] }]);
    await aRoom({ owner: ann });
    expect((await roomsOf(ann)).filter((row) => 'others' in row)).toHaveLength(1);
  });

  it('POST /api/conversations makes a room that nobody else can find', async () => {
    const [ann, bob, eve] = (await accounts(3)) as [Account, Account, Account];
    const room = (await opened(ann, bob))._id.$oid;
    await aMessage(ann, room, { text: 'secret' }, call);
    const { token } = eve;
    for (const path of [
      `/api/rooms/${room}`,
      `/api/messages?room=${room}`,
      `/api/members?room=${room}`,
      `/api/events?room=${room}`,
    ])
      expect(outcome(await call('GET', path, { token }))).toEqual(refusals.noSuch('room'));
    expect(outcome(await call('POST', '/api/members', { token, body: { room } }))).toEqual(refusals.noSuch('room'));
    expect(await roomsOf(eve)).toEqual([]);
  });

  it('POST /api/conversations makes a room whose people and settings nobody can change, not even an administrator', async () => {
    const [ann, bob, eve, admin] = [...(await accounts(3)), await anAdmin()] as [Account, Account, Account, Account];
    const room = (await opened(ann, bob))._id.$oid;
    const [mine] = await roomsOf(ann);
    const member = `/api/members/${mine?._id.$oid}`;
    const attempts: [string, string, object?][] = [
      ['POST', '/api/members', { room, user: eve.id }],
      ['PATCH', member, { role: 'owner' }],
      ['DELETE', member],
      ['PATCH', `/api/rooms/${room}`, { name: 'Ours', is_visible: true }],
      ['PUT', `/api/rooms/${room}`, { name: 'Ours', is_open: true, is_visible: true }],
      ['PATCH', `/api/rooms/${room}/details`, { archived: true }],
    ];
    for (const [method, path, body] of attempts)
      expect(outcome(await call(method, path, { token: admin.token, body })), `${method} ${path}`).toEqual(isDirect);
    expect(outcome(await call('DELETE', member, { token: ann.token }))).toEqual(isDirect);
    expect(outcome(await call('PATCH', `/api/rooms/${room}`, { token: ann.token, body: { is_open: true } }))).toEqual(
      refusals.denied('Room owner required.'),
    );
  });

  it('POST /api/conversations makes a new room once an administrator has deleted the earlier one', async () => {
    const [ann, bob, admin] = [...(await accounts(2)), await anAdmin()] as [Account, Account, Account];
    const first = await opened(ann, bob);
    await succeed(call('DELETE', `/api/rooms/${first._id.$oid}`, { token: admin.token }));
    const second = await opened(bob, ann);
    expect(second._id).not.toEqual(first._id);
    expect((await opened(ann, bob))._id).toEqual(second._id);
  });

  it('POST /api/conversations creates a room that stays readable, with its people, after one of them deleted the account', async () => {
    const [ann, bob] = (await accounts(2)) as [Account, Account];
    const room = (await opened(ann, bob))._id.$oid;
    await aMessage(bob, room, { text: 'Farewell' }, call);
    await deleteUser(new ObjectId(bob.id));
    expect(await roomsOf(ann)).toMatchObject([
      { room: { $oid: room }, others: [{ _id: { $oid: bob.id }, username: '(deleted)' }] },
    ]);
    expect((await call('GET', `/api/messages?room=${room}`, { token: ann.token })).body).toMatchObject([
      { text: 'Farewell', username: '(deleted)' },
    ]);
    expect(outcome(await open(ann, [bob.id]))).toEqual(refusals.noSuch('user'));
  });

  it('POST /api/conversations refuses anything except a list of one to eight users', async () => {
    const ann = await anAccount();
    const rule = refusals.invalid('users', 'be a list of 1 to 8 ids or usernames');
    for (const users of [[], ann.username, [''], [{}], [7], Array.from({ length: 9 }, () => `${new ObjectId()}`)])
      expect(outcome(await open(ann, users))).toEqual(rule);
    expect(outcome(await open(ann, undefined))).toEqual(refusals.missing('users'));
    expect(outcome(await open(ann, [ann.id, ann.username]))).toEqual(refusals.invalid('users', 'name somebody else'));
    for (const users of [['nobody-has-this-name'], [new ObjectId().toHexString()], [ann.id, new ObjectId().toHexString()]])
      expect(outcome(await open(ann, users))).toEqual(refusals.noSuch('user'));
  });

  it('POST /api/conversations refuses a conversation with someone whom the caller has blocked', async () => {
    const [ann, bob, eve] = (await accounts(3)) as [Account, Account, Account];
    await block(ann, bob);
    expect(outcome(await open(ann, [bob.id, eve.id]))).toEqual(refusals.conflict('The caller has blocked the user.'));
    expect((await open(ann, [eve.id])).status).toBe(201);
  });

  it('a conversation with someone who has blocked the caller looks the same as any other, and is hidden from the other', async () => {
    const [ann, bob, eve] = (await accounts(3)) as [Account, Account, Account];
    const [toBob, toEve] = [await opened(ann, bob), await opened(ann, eve)];
    await aMessage(ann, toBob._id.$oid, { text: 'harmless owls' }, call);
    await block(bob, ann);
    const asSeenByAnn = async ({ _id: { $oid: room } }: Room, other: Account) => {
      const replies = [
        await open(ann, [other.id]),
        await call('POST', '/api/messages', { token: ann.token, body: { room, text: 'more owls' } }),
        await call('GET', `/api/rooms/${room}/details`, { token: ann.token }),
        await call('GET', `/api/members?room=${room}`, { token: ann.token }),
        await call('GET', `/api/users?username=${other.username}`, { token: ann.token }),
      ];
      return replies.map(({ status, body }) => [status, Object.keys(body as object).length]);
    };
    await aMessage(ann, toEve._id.$oid, {}, call);
    expect(await asSeenByAnn(toBob, bob)).toEqual(await asSeenByAnn(toEve, eve));
    // A group conversation that the blocked user starts is also hidden; one that others start is
    // not.
    await opened(ann, bob, eve);
    expect(await roomsOf(bob)).toEqual([]);
    expect((await call('GET', '/api/messages?q=owls', { token: bob.token })).body).toEqual([]);
    const since = new Date(0).toISOString();
    expect((await call('GET', `/api/members?user=me&since=${since}`, { token: bob.token })).body).toEqual([]);
    expect(await roomsOf(eve)).toHaveLength(2);

    await succeed(call('DELETE', `/api/blocks?user=${ann.id}`, { token: bob.token }));
    expect((await roomsOf(bob)).map(({ unread }) => unread).sort()).toEqual([0, 2]);
  });

  it('a group that somebody else starts is shown to users who blocked one of its members', async () => {
    const [ann, bob, eve] = (await accounts(3)) as [Account, Account, Account];
    await block(bob, ann);
    const group = await opened(eve, ann, bob);
    expect(await roomsOf(bob)).toMatchObject([{ room: group._id }]);
  });
});

describe.each(transports())('/api/blocks, %s', (_transport, call) => {
  it('a block stops its user from being added to a room, as if the user left immediately, except by administrators', async () => {
    const [ann, bob, admin] = [...(await accounts(2)), await anAdmin()] as [Account, Account, Account];
    await succeed(call('POST', '/api/blocks', { token: bob.token, body: { user: ann.id } }));
    const roomsOfBob = async () => (await call('GET', '/api/members?user=me', { token: bob.token })).body;
    const room = await aRoom({ owner: ann });
    const add = ({ token }: Account) => call('POST', '/api/members', { token, body: { room: room.id, user: bob.id } });
    const added = await add(ann);
    expect(outcome(added)).toEqual({
      status: 201,
      body: {
        _id: { $oid: expect.any(String) },
        room: { $oid: room.id },
        user: { $oid: bob.id },
        username: bob.username,
        role: 'member',
        joined_at: { $date: expect.any(String) },
      },
    });
    expect(await roomsOfBob()).toEqual([]);
    const { body } = await call('GET', `/api/events?room=${room.id}&after=0`, { token: ann.token });
    expect(body).toMatchObject([
      { type: 'member.joined', data: { user: { $oid: bob.id } } },
      { type: 'member.left', data: { user: { $oid: bob.id } } },
    ]);
    expect((await add(admin)).status).toBe(201);
    expect(await roomsOfBob()).toHaveLength(1);
  });

  it('GET /api/blocks lists the users whom the caller has blocked, page by page, until they are unblocked', async () => {
    const [ann, bob, eve] = (await accounts(3)) as [Account, Account, Account];
    const { token } = ann;
    const shown = ({ id, username }: Account) => ({ _id: { $oid: id }, username });
    const bobIsBlocked = { status: 201, body: shown(bob) };
    expect(outcome(await call('POST', '/api/blocks', { token, body: { username: bob.username } }))).toEqual(bobIsBlocked);
    expect(outcome(await call('POST', '/api/blocks', { token, body: { user: bob.id } }))).toEqual(bobIsBlocked);
    await succeed(call('POST', '/api/blocks', { token, body: { user: eve.id } }));
    const list = async (query = '') => (await call('GET', `/api/blocks${query}`, { token })).body;
    const both = [bob, eve].sort((one, other) => (one.id < other.id ? -1 : 1)) as [Account, Account];
    expect(await list()).toEqual(both.map(shown));
    expect(await list('?limit=1')).toEqual([shown(both[0])]);
    expect(await list(`?after=${both[0].id}`)).toEqual([shown(both[1])]);
    expect((await call('GET', '/api/blocks', { token: bob.token })).body).toEqual([]);

    await succeed(call('DELETE', `/api/blocks?user=${bob.id}`, { token }));
    expect(await list()).toEqual([shown(eve)]);
    expect(outcome(await call('DELETE', `/api/blocks?user=${bob.id}`, { token }))).toEqual(refusals.noSuch('block'));
  });

  it('POST /api/blocks refuses the caller, an unknown user and a missing user', async () => {
    const ann = await anAccount();
    const block = async (body: object) => outcome(await call('POST', '/api/blocks', { token: ann.token, body }));
    expect(await block({ user: ann.id })).toEqual(refusals.invalid('user', 'be somebody else'));
    expect(await block({ username: ann.username })).toEqual(refusals.invalid('username', 'be somebody else'));
    expect(await block({ user: ann.id, username: ann.username })).toEqual(
      refusals.invalid('username', "not be combined with 'user'"),
    );
    expect(await block({ username: 'nobody-has-this-name' })).toEqual(refusals.noSuch('user'));
    expect(await block({ user: new ObjectId().toHexString() })).toEqual(refusals.noSuch('user'));
    expect(await block({})).toMatchObject({ status: 400, body: { title: 'Missing parameter' } });
    const unblockNobody = await call('DELETE', '/api/blocks', { token: ann.token });
    expect(unblockNobody).toMatchObject({ status: 400, body: { title: 'Missing parameter' } });
  });
});

describe('a user', () => {
  it('a user can block up to 500 others', async () => {
    const [ann, bob, eve] = (await accounts(3)) as [Account, Account, Account];
    const many = Array.from({ length: 499 }, () => new ObjectId());
    await users.updateOne({ _id: new ObjectId(ann.id) }, { $set: { blocked: many } });
    const block = ({ id: user }: Account) => inProcess('POST', '/api/blocks', { token: ann.token, body: { user } });
    expect((await block(bob)).status).toBe(201);
    expect(outcome(await block(eve))).toEqual(refusals.conflict('The list of blocked users is full.'));
    expect((await block(bob)).status).toBe(201);
  });
});
