import { Binary, ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { avatars } from '../../../lib/collections/accounts/avatars.ts';
import { users } from '../../../lib/collections/accounts/users.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { addMember, aRoom, aRoomWithEveryone, everyPage, memberId } from '../../support/rooms.ts';
import { commandsOf, planOf, type SentCommand } from '../../support/sent-commands.ts';
import { inProcess } from '../../support/transports.ts';

useOwnDatabase();
await useDatabaseOutside();

const { room, owner, member, user, admin } = await aRoomWithEveryone();
const busy = await anAccount();
const hidden = await aRoom({ is_visible: false });
const memberHere = await memberId(room, member);
const memberThere = await memberId(hidden, hidden.owner);
const nowhere = new ObjectId().toHexString();

const own = (sent: SentCommand[]) => sent.filter(({ collection }) => collection !== 'tokens');

beforeAll(async () => {
  const busyRooms = Array.from({ length: 500 }, (_, index) => ({
    name: `Room ${index}`,
    name_key: `busy ${index}`,
    is_open: true,
    is_visible: false,
    members: [{ _id: new ObjectId(), user: new ObjectId(busy.id), role: 'member' as const, joined_at: new Date() }],
    banned: [],
    seq: 1,
    message_count: 0,
    topic: '',
    created_at: new Date(),
    created_by: new ObjectId(),
    changed_at: new Date(1_700_000_000_000 + Math.floor(index / 3)),
    archived_at: null,
    last_message_at: null,
  }));
  await rooms.unscoped.insertMany(busyRooms);
  // A query of a collection that does not exist does not have a plan.
  await avatars.insertOne({ _id: new ObjectId(), version: 'a', type: 'image/png', bytes: new Binary(Buffer.from('x')) });
  // With only a few documents, an engine may scan all of them.
  await users.unscoped.insertMany(
    Array.from({ length: 500 }, (_, index) => ({
      username: `crowd-${index}`,
      email: `crowd-${index}@example.org`,
      email_key: `crowd-${index}@example.org`,
      password_hash: '',
      is_admin: false,
      is_active: true,
      created_at: new Date(),
      session_generation: 0,
    })),
  );
});

describe('every query of rooms and members', async () => {
  const body = { name: 'Renamed', is_open: true, is_visible: true };
  const [open, doomed] = [await aRoom(), await aRoom()];
  const leaving = await addMember(doomed, user);
  const banned = await aRoom({ members: [user] });
  await inProcess('DELETE', `/api/members/${await memberId(banned, user)}?ban=true`, { token: admin.token });

  it.each<[string, string, string, Account, object | undefined, number]>([
    ['GET', 'a room', room.path, user, undefined, 1],
    ['PUT', 'a room', room.path, owner, body, 2],
    ['PATCH', 'a room', room.path, admin, body, 7],
    ['GET', 'the details', `${room.path}/details`, member, undefined, 2],
    ['PATCH', 'the details', `${room.path}/details`, owner, { topic: 'owls' }, 2],
    ['GET', 'the directory', '/api/directory?q=ow', user, undefined, 1],
    ['GET', 'the rooms', `/api/rooms?after=${room.id}`, admin, undefined, 1],
    ['GET', 'the members', `/api/members?room=${room.id}&limit=2&after=${room.id}`, member, undefined, 3],
    ['GET', 'the rooms of a member of 500', '/api/members?user=me&limit=200', busy, undefined, 3],
    ['GET', 'a later page of them', `/api/members?user=me&after=1700000000100-${room.id}`, busy, undefined, 3],
    ['GET', 'a member', `/api/members/${memberHere}`, owner, undefined, 1],
    ['GET', 'the caller as a member', `/api/members/${memberHere}`, member, undefined, 2],
    ['POST', 'the caller as a member', '/api/members', user, { room: open.id }, 4],
    ['POST', 'another user as a member', '/api/members', owner, { room: room.id, user: user.id }, 7],
    ['PATCH', 'a role', `/api/members/${memberHere}`, owner, { role: 'member' }, 4],
    ['PATCH', 'a marker', `/api/members/${memberHere}`, member, { last_read: 1 }, 3],
    ['DELETE', 'a member', `/api/members/${leaving}?ban=true`, admin, undefined, 9],
    ['GET', 'the bans', `/api/bans?room=${banned.id}&limit=2&after=${room.id}`, admin, undefined, 2],
    ['GET', 'a user by name', `/api/users?username=${member.username}`, user, undefined, 1],
    ['GET', 'whom one shares a room with', '/api/users?q=user', member, undefined, 3],
    ['GET', 'whom one shares this room with', `/api/users?q=user&room=${room.id}`, member, undefined, 4],
    ['POST', 'a member, another by name', '/api/members', owner, { room: room.id, username: admin.username }, 8],
    ['POST', 'an invitation', `/api/rooms/${room.id}/invitations`, owner, { uses: 1 }, 2],
    ['GET', 'the invitations', `/api/rooms/${room.id}/invitations`, owner, undefined, 2],
    ['POST', 'a webhook', `/api/rooms/${room.id}/webhooks`, owner, {}, 3],
    ['GET', 'the webhooks', `/api/rooms/${room.id}/webhooks`, owner, undefined, 3],
    ['POST', 'by a webhook', `/api/webhooks/${'a'.repeat(32)}`, owner, { text: 'x' }, 1],
    ['POST', 'a member by an invitation', '/api/members', admin, { invitation: 'a'.repeat(32) }, 1],
    ['DELETE', 'a ban', `/api/bans?room=${banned.id}&user=${user.id}`, admin, undefined, 7],
    ['DELETE', 'a room', doomed.path, admin, undefined, 43],
  ])('a query of rooms and members uses an index: %s %s', async (method, _what, path, { token }, sent, count) => {
    const queries = own(await commandsOf(() => inProcess(method, path, { token, body: sent })));
    expect(queries).toHaveLength(count);
    for (const query of queries.filter(({ name }) => name !== 'insert')) {
      const stages = await planOf(query);
      expect({ query, stages }).toEqual({ query, stages: expect.not.arrayContaining(['COLLSCAN']) });
      expect(stages.join()).toMatch(/IXSCAN|IDHACK|EXPRESS/);
    }
  });
});

describe('a hidden room', () => {
  it.each<[string, (id: string, member: string) => string, object | undefined]>([
    ['GET', (id) => `/api/rooms/${id}`, undefined],
    ['PUT', (id) => `/api/rooms/${id}`, { name: 'x', is_open: true, is_visible: true }],
    ['PATCH', (id) => `/api/rooms/${id}`, { name: 'x' }],
    ['GET', (id) => `/api/rooms/${id}/details`, undefined],
    ['PATCH', (id) => `/api/rooms/${id}/details`, { topic: 'x' }],
    ['GET', (id) => `/api/members?room=${id}`, undefined],
    ['GET', (id) => `/api/users?q=user&room=${id}`, undefined],
    ['GET', (id) => `/api/bans?room=${id}`, undefined],
    ['POST', () => '/api/members', {}],
    ['POST', () => '/api/members', { user: owner.id }],
    ['POST', () => '/api/members', { role: 'owner' }],
    ['GET', (_id, there) => `/api/members/${there}`, undefined],
    ['PATCH', (_id, there) => `/api/members/${there}`, { role: 'owner' }],
    ['PATCH', (_id, there) => `/api/members/${there}`, { last_read: 1 }],
    ['DELETE', (_id, there) => `/api/members/${there}`, undefined],
    ['DELETE', (id) => `/api/bans?room=${id}&user=${user.id}`, undefined],
  ])('a hidden room looks to a stranger like an unknown room: %s %s', async (method, path, body) => {
    const ask = async (id: string, there: string) => {
      let answer: unknown;
      const queries = await commandsOf(async () => {
        const sent = { token: user.token, body: body && (method === 'POST' ? { room: id, ...body } : body) };
        const { status, body: answered, headers } = await inProcess(method, path(id, there), sent);
        answer = { status, body: answered, headers: { ...headers, 'x-request-id': '' } };
      });
      return { answer, queries: queries.map(({ collection, name }) => `${collection}.${name}`) };
    };
    const ofHidden = await ask(hidden.id, memberThere);
    expect(ofHidden).toEqual(await ask(nowhere, nowhere));
    expect(ofHidden.answer).toMatchObject({ status: 404 });
    expect((await inProcess('GET', hidden.path, { token: hidden.owner.token })).body).toMatchObject({ name: 'General' });
  });
});

describe('a member of 500 rooms', () => {
  it('a member of 500 rooms finds each on one page, even those that were active at the same time', async () => {
    const found = await everyPage(inProcess, '/api/members?user=me&limit=200', busy.token);
    expect(found).toHaveLength(500);
    expect(new Set(found.map(({ _id }) => _id.$oid)).size).toBe(500);
  });
});

describe('a page of a room of 1 000 members', () => {
  it('a page of a room of 1 000 members is all that the database sends', async () => {
    const created = await aRoom();
    const crowd = Array.from({ length: 999 }, () => ({
      _id: new ObjectId(),
      user: new ObjectId(),
      role: 'member' as const,
      joined_at: new Date(),
    }));
    await rooms.updateOne({ _id: new ObjectId(created.id) }, { $push: { members: { $each: crowd } } });
    const { token } = await anAdmin();
    const sentCommands = await commandsOf(() => inProcess('GET', `/api/members?room=${created.id}&limit=10`, { token }));
    const page = sentCommands.find(({ command }) => JSON.stringify(command.pipeline)?.includes('$unwind'));
    const sent = await rooms.unscoped.aggregate(page?.command.pipeline).toArray();
    expect(sent).toHaveLength(11);
    expect(sent.every((row) => !('members' in row))).toBe(true);
  });
});
