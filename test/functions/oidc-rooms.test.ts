import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { users } from '../../lib/collections/accounts/users.ts';
import { events } from '../../lib/collections/rooms/events.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { applyGroupRooms } from '../../lib/members/group-rooms.ts';
import { config } from '../../lib/settings/config.ts';
import { aName, anAccount, anAdmin } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { signInBy, userOf } from '../support/oidc-browser.ts';
import { aRoom } from '../support/rooms.ts';
import { admin } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

const [provider, other] = [
  await startIdentityProvider({ callback: 'https://chat.example.org/oidc' }),
  await startIdentityProvider({ callback: 'https://chat.example.org/oidc/other' }),
];
// Settings are read before rooms exist. So a test takes the next group, and creates a room with the
// group's id.
const ids = Array.from({ length: 20 }, () => new ObjectId());
const groupOf = (id: ObjectId) => `group-${ids.indexOf(id)}`;
const groups = (some: ObjectId[]) => Object.fromEntries(some.map((id) => [groupOf(id), [id.toHexString()]]));
useConfig({
  ...provider.settings,
  OIDC_GROUP_ROOMS: JSON.stringify({ ...groups(ids), both: ids.slice(-2) }),
  OIDC_PROVIDERS: JSON.stringify([
    {
      id: 'other',
      name: 'Other ID',
      issuer: other.issuer,
      client_id: 'chat',
      client_secret: other.settings.OIDC_CLIENT_SECRET,
      group_rooms: { 'group-0': ids.slice(0, 1) },
    },
  ]),
});

afterAll(() => {
  provider.close();
  other.close();
});

let taken = 1;

/** A hidden room of a group. */
async function aGroupRoom(wanted: Parameters<typeof aRoom>[0] = {}, id = ids[taken++] ?? new ObjectId()) {
  const owner = wanted.owner ?? (await anAccount());
  const made = await aRoom({ is_open: false, is_visible: false, ...wanted, owner });
  const document = await rooms.findOne({ _id: new ObjectId(made.id) });
  if (!document) throw new Error('There is no room.');
  await rooms.unscoped.deleteOne({ _id: document._id });
  await rooms.unscoped.insertOne({ ...document, _id: id } as never);
  return { id, group: groupOf(id), path: `/api/rooms/${id.toHexString()}`, owner };
}

type GroupRoom = Awaited<ReturnType<typeof aGroupRoom>>;

/** A person at the provider, who signs in with some groups. */
function aPerson(by = provider) {
  const name = aName();
  const signIn = async (...all: string[]) => {
    by.people.set(name, { preferred_username: name, email: `${name}@example.org`, groups: all });
    const reply = await signInBy(by, name, by === other ? { sent: { provider: 'other' } } : {});
    expect(reply.status).toBe(201);
    return { id: new ObjectId(userOf(reply)._id.$oid), token: reply.browser.session };
  };
  return { name, signIn };
}

const memberOf = async (room: { id: ObjectId }, user: ObjectId) =>
  (await rooms.findOne({ _id: room.id }))?.members.find((member) => member.user.equals(user));
const change = (token: string | undefined, path: string, body: object) => call('PATCH', path, { token, body });

describe('a group of the identity provider', () => {
  it('a group of the identity provider adds a person to its room at the sign-in, and a sign-in without the group removes them', async () => {
    const room = await aGroupRoom();
    const person = aPerson();
    const before = await person.signIn('staff');
    expect((await call('GET', room.path, { token: before.token })).status).toBe(404);
    const { id, token } = await person.signIn('staff', room.group);
    expect(await memberOf(room, id)).toMatchObject({ role: 'member', by_group: true });
    expect((await call('GET', room.path, { token })).status).toBe(200);
    const member = await memberOf(room, id);
    await person.signIn(room.group);
    expect(await memberOf(room, id)).toEqual(member);
    await person.signIn('staff');
    expect(await memberOf(room, id)).toBeUndefined();
    expect((await call('GET', room.path, { token })).status).toBe(404);
    const told = await events.find({ room: room.id, 'data.user': id }, { sort: { seq: 1 } }).toArray();
    expect(told.map(({ type }) => type)).toEqual(['member.joined', 'member.left']);
  });

  it('a group of the identity provider gives nothing to an account that was disconnected meanwhile', async () => {
    const room = await aGroupRoom();
    const { id } = await aPerson().signIn('staff');
    await users.updateOne({ _id: id }, { $unset: { identity: '' } });
    await applyGroupRooms(id, [room.id]);
    expect(await memberOf(room, id)).toBeUndefined();
  });

  it('a group of the identity provider may give several rooms, and a room may be given by several groups', async () => {
    const [one, two] = [await aGroupRoom({}, ids.at(-2)), await aGroupRoom({}, ids.at(-1))];
    const person = aPerson();
    const { id } = await person.signIn('both', one.group);
    const isIn = async () => [await memberOf(one, id), await memberOf(two, id)].map(Boolean);
    expect(await isIn()).toEqual([true, true]);
    await person.signIn(one.group);
    expect(await isIn()).toEqual([true, false]);
  });

  it.each([
    [
      'was added to',
      async (room: GroupRoom, id: ObjectId) => {
        const body = { room: room.id.toHexString(), user: id.toHexString() };
        return call('POST', '/api/members', { token: room.owner.token, body });
      },
    ],
    [
      'was invited to',
      async (room: GroupRoom, _id: ObjectId, token: string | undefined) => {
        const made = await call('POST', `${room.path}/invitations`, { token: room.owner.token, body: {} });
        return call('POST', '/api/members', { token, body: { invitation: (made.body as { code: string }).code } });
      },
    ],
    [
      'has joined',
      async (room: GroupRoom, _id: ObjectId, token: string | undefined) => {
        await change(room.owner.token, room.path, { is_open: true, is_visible: true });
        return call('POST', '/api/members', { token, body: { room: room.id.toHexString() } });
      },
    ],
  ] as const)('a group of the identity provider takes back no room that somebody %s before', async (_how, join) => {
    const room = await aGroupRoom();
    const person = aPerson();
    const { id, token } = await person.signIn();
    expect((await join(room, id, token)).status).toBe(201);
    await person.signIn(room.group);
    await person.signIn('staff');
    expect(await memberOf(room, id)).toMatchObject({ role: 'member' });
    expect(await memberOf(room, id)).not.toHaveProperty('by_group');
  });

  it('a group of the identity provider takes its room also from a moderator, with the invitations, but not from the only owner', async () => {
    const room = await aGroupRoom();
    const person = aPerson();
    const { id, token } = await person.signIn(room.group);
    const [given, owner] = [await memberOf(room, id), await memberOf(room, new ObjectId(room.owner.id))];
    const path = (member: typeof given) => `/api/members/${member?._id.toHexString()}`;
    expect((await change(room.owner.token, path(given), { role: 'owner' })).status).toBe(200);
    expect((await call('POST', `${room.path}/invitations`, { token, body: {} })).status).toBe(201);
    expect((await change(token, path(owner), { role: 'moderator' })).status).toBe(200);
    await person.signIn('staff');
    expect(await memberOf(room, id)).toMatchObject({ role: 'owner', by_group: true });
    expect((await change(token, path(owner), { role: 'owner' })).status).toBe(200);
    await person.signIn('staff');
    expect(await memberOf(room, id)).toBeUndefined();
    expect((await rooms.findOne({ _id: room.id }))?.invitations).toEqual([]);
  });

  it('a group of the identity provider gives no room that is full, archived, gone, a conversation, or has banned the person, and the others all the same', async () => {
    const [full, archived, gone, banned, direct, good] = await Promise.all(Array.from({ length: 6 }, () => aGroupRoom()));
    if (!full || !archived || !gone || !banned || !direct || !good) throw new Error('There are six rooms.');
    const person = aPerson();
    const { id } = await person.signIn();
    const others = Array.from({ length: config.roomMembers }, () => ({ user: new ObjectId(), role: 'member' as const }));
    const members = others.map((one) => ({ _id: new ObjectId(), joined_at: new Date(), ...one }));
    await rooms.updateOne({ _id: full.id }, { $set: { members } });
    await rooms.updateOne({ _id: archived.id }, { $set: { archived_at: new Date() } });
    await rooms.updateOne({ _id: gone.id }, { $set: { deleting_at: new Date() } });
    await rooms.updateOne({ _id: banned.id }, { $set: { banned: [id] } });
    await rooms.updateOne({ _id: direct.id }, { $set: { is_direct: true } });
    const all = [full, archived, gone, banned, direct, good];
    await person.signIn(...all.map(({ group }) => group));
    const found = await rooms.unscoped.find({ 'members.user': id }).toArray();
    expect(found.map(({ _id }) => _id)).toEqual([good.id]);
  });

  it('many sign-ins at the same moment add a person to the room of a group once, and remove them once', async () => {
    const room = await aGroupRoom();
    const person = aPerson();
    await person.signIn();
    const ten = Array.from({ length: 6 }, () => room.group);
    const [first] = await Promise.all(ten.map((group) => person.signIn(group)));
    const id = first?.id ?? new ObjectId();
    expect((await rooms.findOne({ _id: room.id }))?.members.filter(({ user }) => user.equals(id))).toHaveLength(1);
    await Promise.all(ten.map(() => person.signIn('staff')));
    expect(await memberOf(room, id)).toBeUndefined();
    const told = await events.find({ room: room.id, 'data.user': id }, { sort: { seq: 1 } }).toArray();
    expect(told.map(({ type }) => type)).toEqual(['member.joined', 'member.left']);
  });

  it('a group of the identity provider gives a room again that somebody has left, and none that another provider’s group of the same name gives', async () => {
    const room = await aGroupRoom();
    const person = aPerson();
    const { id, token } = await person.signIn(room.group);
    const left = await call('DELETE', `/api/members/${(await memberOf(room, id))?._id.toHexString()}`, { token });
    expect(left.status).toBe(204);
    await person.signIn(room.group);
    expect(await memberOf(room, id)).toBeDefined();
    const ofOther = await aGroupRoom({}, ids[0]);
    const stranger = await aPerson(other).signIn(room.group, ofOther.group);
    expect(await memberOf(room, stranger.id)).toBeUndefined();
    expect(await memberOf(ofOther, stranger.id)).toMatchObject({ by_group: true });
  });

  it('a group of the identity provider takes its room at a deactivation, and gives it again after the reactivation', async () => {
    const [room, joined] = [await aGroupRoom(), await aRoom()];
    const person = aPerson();
    const { id, token } = await person.signIn(room.group);
    expect((await call('POST', '/api/members', { token, body: { room: joined.id } })).status).toBe(201);
    const { token: byAdmin } = await anAdmin();
    const path = `/api/users/${id.toHexString()}`;
    expect((await change(byAdmin, path, { is_active: false })).status).toBe(200);
    expect(await memberOf(room, id)).toBeUndefined();
    expect(await memberOf({ id: new ObjectId(joined.id) }, id)).toBeDefined();
    expect((await change(byAdmin, path, { is_active: true })).status).toBe(200);
    await person.signIn(room.group);
    expect(await memberOf(room, id)).toBeDefined();
  });

  it('a group of the identity provider takes its room when the account is disconnected', async () => {
    const room = await aGroupRoom();
    const person = aPerson();
    const { id } = await person.signIn(room.group);
    const { username = '' } = (await users.findOne({ _id: id })) ?? {};
    expect(await admin(['user', 'disconnect', username])).toMatchObject({ code: 0 });
    expect(await memberOf(room, id)).toBeUndefined();
  });
});
