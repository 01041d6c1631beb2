import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { audit } from '../../lib/collections/service/audit.ts';
import { type Account, anAccount, anAddress, anAdmin } from '../support/accounts.ts';
import { aMessage } from '../support/messages.ts';
import { anyDate, outcome } from '../support/responses.ts';
import { aRoomOf, nextOf } from '../support/rooms.ts';
import { inProcess, transports } from '../support/transports.ts';

const admin = await anAdmin();

/** The audit entries of an account or a room, the oldest first: actor, action, and failure. */
const trailOf = async (id: string) =>
  (await audit.find({ 'target.id': new ObjectId(id) }, { sort: { _id: 1 } }).toArray()).map(({ actor, action, failed }) => ({
    by: actor.name,
    action,
    ...(failed !== null && { failed: true }),
  }));

const entry = (by: Account, action: string) => ({ by: by.username, action });

describe.each(transports())('/api/audit, %s', (_transport, call) => {
  const list = (query: string, who: Account = admin) => call('GET', `/api/audit?${query}`, { token: who.token });

  it('GET /api/audit shows who did what to whom, when and from where', async () => {
    const [account, source] = [await anAccount(), anAddress()];
    await call('DELETE', `/api/users/${account.id}/usage`, { token: admin.token, source });
    const { status, body } = await list(`target=${account.id}`);
    expect({ status, body }).toEqual({
      status: 200,
      body: [
        {
          seq: expect.any(Number),
          at: anyDate,
          actor: { kind: 'user', _id: { $oid: admin.id }, name: admin.username },
          action: 'user.limits_lifted',
          target: { kind: 'user', _id: { $oid: account.id }, name: account.username },
          details: {},
          source: expect.stringMatching(/^(127\.|::)/),
          failed: null,
          previous: expect.stringMatching(/^([0-9a-f]{64})?$/),
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
  });

  it('GET /api/audit lists the newest entry first, page by page, of one actor, action, target or time', async () => {
    const [actor, one, other] = [await anAdmin(), await anAccount(), await anAccount()];
    const act = (method: string, path: string, body?: object) => call(method, path, { token: actor.token, body });
    await act('DELETE', `/api/users/${one.id}/usage`);
    await act('PATCH', `/api/users/${one.id}`, { is_admin: true });
    await act('PATCH', `/api/users/${other.id}`, { is_active: false });
    type Entry = { seq: number; action: string; at: { $date: string } };
    const found = async (query: string) =>
      ((await list(`actor=${actor.id}&${query}`)).body as Entry[]).map(({ action }) => action);
    const all = ['user.deactivated', 'user.promoted', 'user.limits_lifted'];
    expect(await found('')).toEqual(all);
    expect(await found('action=user.promoted')).toEqual(['user.promoted']);
    expect(await found(`target=${one.id}`)).toEqual(['user.promoted', 'user.limits_lifted']);
    const [last] = (await list(`actor=${actor.id}&limit=1`)).body as [Entry];
    expect((await found(`to=${last.at.$date}`)).includes('user.deactivated')).toBe(false);
    expect((await found(`from=${last.at.$date}`)).includes('user.deactivated')).toBe(true);
    expect(await found('from=2100-01-01T00:00:00Z')).toEqual([]);

    const pages: string[][] = [];
    for (let path: string | undefined = `/api/audit?actor=${actor.id}&limit=2`; path; ) {
      const reply = await call('GET', path, { token: admin.token });
      pages.push((reply.body as Entry[]).map(({ action }) => action));
      path = nextOf(reply);
    }
    expect(pages).toEqual([all.slice(0, 2), all.slice(2)]);
  });

  it.each([
    ['an action that there is none of', 'action=user.hugged', 'action'],
    ['a time without its zone', 'from=2026-11-26', 'from'],
    ['an actor by name', 'actor=ann', 'actor'],
    ['a cursor before the first entry', 'after=0', 'after'],
  ])('GET /api/audit refuses %s', async (_what, query, name) => {
    expect(await list(query)).toMatchObject({ status: 400, body: { description: expect.stringContaining(`'${name}'`) } });
  });
});

describe('the audit log', () => {
  it('people who change their own accounts and rooms add nothing to the audit log', async () => {
    const account = await anAccount();
    const room = await aRoomOf([account]);
    await inProcess('PATCH', `/api/users/${account.id}`, { token: account.token, body: { name: 'Other' } });
    await inProcess('PATCH', `/api/rooms/${room}/details`, { token: account.token, body: { archived: true } });
    await inProcess('GET', `/api/messages?room=${room}`, { token: account.token });
    expect([await trailOf(account.id), await trailOf(room)]).toEqual([[], []]);
  });

  it('an administrator who acts as an owner or a member adds nothing to the audit log', async () => {
    const owner = await anAdmin();
    const member = await anAccount();
    const room = await aRoomOf([owner, member]);
    await inProcess('PATCH', `/api/rooms/${room}`, { token: owner.token, body: { name: 'Other' } });
    await inProcess('GET', `/api/messages?room=${room}`, { token: owner.token });
    const list = await inProcess('GET', `/api/members?room=${room}`, { token: owner.token });
    const found = (list.body as { _id: { $oid: string }; username: string }[]).find(
      ({ username }) => username === member.username,
    );
    await inProcess('DELETE', `/api/members/${found?._id.$oid}`, { token: owner.token });
    expect([await trailOf(room), await trailOf(member.id)]).toEqual([[], []]);
  });

  it('the audit log has a hold also of an administrator who owns the room, because owners can set none', async () => {
    const owner = await anAdmin();
    const room = await aRoomOf([owner]);
    await inProcess('PATCH', `/api/rooms/${room}/details`, { token: owner.token, body: { is_held: true, topic: 'News' } });
    expect(await trailOf(room)).toEqual([entry(owner, 'room.held')]);
  });

  it('refused requests of ordinary users, and those for unknown targets, add nothing to the audit log', async () => {
    const [account, other] = [await anAccount(), await anAccount()];
    const before = await audit.countDocuments({ 'actor.id': { $in: [new ObjectId(account.id), new ObjectId(admin.id)] } });
    expect((await inProcess('PATCH', `/api/users/${other.id}`, { token: account.token, body: { is_admin: true } })).status).toBe(
      403,
    );
    expect((await inProcess('DELETE', `/api/users/${new ObjectId()}/usage`, { token: admin.token })).status).toBe(404);
    expect(await audit.countDocuments({ 'actor.id': { $in: [new ObjectId(account.id), new ObjectId(admin.id)] } })).toBe(before);
    expect(await trailOf(other.id)).toEqual([]);
  });

  it('an act that is refused after its entry adds a second entry to the audit log', async () => {
    const [account, taken] = [await anAccount(), await anAccount()];
    const reply = await inProcess('PATCH', `/api/users/${account.id}`, { token: admin.token, body: { email: taken.email } });
    expect(outcome(reply)).toMatchObject({ status: 409 });
    const found = await audit.find({ 'target.id': new ObjectId(account.id) }, { sort: { _id: 1 } }).toArray();
    expect(found).toMatchObject([
      { action: 'user.email_changed', details: {}, failed: null },
      { action: 'user.email_changed', details: { error: 'email_taken' }, failed: found[0]?._id },
    ]);
  });

  it('the audit log has an entry of each request that goes on with a deletion', async () => {
    const room = await aRoomOf([await anAccount()], { name: 'Large' });
    await rooms.updateOne({ _id: new ObjectId(room) }, { $set: { deleting_at: new Date() } });
    expect((await inProcess('DELETE', `/api/rooms/${room}`, { token: admin.token })).status).toBe(204);
    expect(await trailOf(room)).toEqual([entry(admin, 'room.deleted')]);
  });

  it('the audit log has an entry if a moderator is removed, and none if a member is', async () => {
    const [owner, member, other] = [await anAccount(), await anAccount(), await anAccount()];
    const moderator = await anAdmin();
    const room = await aRoomOf([owner, member, [other, 'moderator'], [moderator, 'moderator']]);
    const list = await inProcess('GET', `/api/members?room=${room}`, { token: moderator.token });
    for (const { _id, user } of list.body as { _id: { $oid: string }; user: { $oid: string } }[])
      if ([member.id, other.id].includes(user.$oid))
        expect((await inProcess('DELETE', `/api/members/${_id.$oid}`, { token: moderator.token })).status).toBe(204);
    expect([await trailOf(member.id), await trailOf(other.id)]).toEqual([[], [entry(moderator, 'member.removed')]]);
  });

  it('the audit log keeps the name of an account that is deleted', async () => {
    const account = await anAccount();
    expect((await inProcess('DELETE', `/api/users/${account.id}`, { token: admin.token, body: {} })).status).toBe(204);
    expect(await audit.findOne({ 'target.id': new ObjectId(account.id) })).toMatchObject({
      action: 'user.deleted',
      target: { name: account.username },
    });
  });

  it('the audit log has one entry a day of an administrator who reads in a room of others', async () => {
    const [reader, owner] = [await anAdmin(), await anAccount()];
    const room = await aRoomOf([owner], { is_open: false, is_visible: false });
    const message = await aMessage(owner, room);
    const read = (path: string) => inProcess('GET', path, { token: reader.token });
    const paths = [
      `/api/messages/${message._id.$oid}`,
      `/api/messages?room=${room}`,
      `/api/messages?room=${room}&q=Hello`,
      `/api/events?room=${room}`,
    ];
    const replies = await Promise.all(paths.map(read));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await trailOf(room)).toEqual([entry(reader, 'room.read')]);
  });

  it('reading a room that everyone may join adds nothing to the audit log', async () => {
    const room = await aRoomOf([await anAccount()], { is_open: true, is_visible: true });
    expect((await inProcess('GET', `/api/messages?room=${room}`, { token: admin.token })).status).toBe(200);
    expect(await trailOf(room)).toEqual([]);
  });
});
