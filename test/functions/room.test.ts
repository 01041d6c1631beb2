import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { denied, invalid, missing, missingEvery, noSuch, unauthenticated } from '../support/error-bodies.ts';
import { addMember, aRoom, aRoomWithEveryone, memberId } from '../support/rooms.ts';
import { inProcess, transports } from '../support/transports.ts';

const { room, owner, moderator, member, user, admin } = await aRoomWithEveryone({ name: 'Lounge' });
const hidden = await aRoom({ owner, is_visible: false });
const nowhere = `/api/rooms/${new ObjectId()}`;
const general = {
  _id: { $oid: room.id },
  name: 'Lounge',
  members: [owner, member, moderator].map(({ id }) => ({ $oid: id })),
  is_open: true,
  is_visible: true,
};
const successHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'max-age=86400, must-revalidate, no-store',
  vary: 'Accept-Encoding',
};

describe.each(transports())('/api/rooms/{room}, %s', (_transport, call) => {
  describe('GET of a room', () => {
    it.each<[string, Account]>([
      ['to its owner', owner],
      ['to a member', member],
      ['to any user, because it is visible', user],
      ['to an admin', admin],
    ])('GET of a room returns it %s', async (_who, { token }) => {
      const { status, headers, body } = await call('GET', room.path, { token });
      expect({ status, headers, body }).toEqual({
        status: 200,
        headers: expect.objectContaining(successHeaders),
        body: general,
      });
    });

    it.each<[string, Account, number]>([
      ['to its owner', owner, 200],
      ['to an admin', admin, 200],
      ['to nobody else', user, 404],
    ])('GET of a hidden room returns it %s', async (_who, { token }, status) => {
      expect((await call('GET', hidden.path, { token })).status).toBe(status);
    });
  });

  describe('PUT and PATCH', () => {
    it('PUT and PATCH of a room set the name and both flags, and return the room', async () => {
      const created = await aRoom({ owner });
      const body = { name: 'Renamed $name', is_open: false, is_visible: false };
      expect(await call('PUT', created.path, { token: owner.token, body })).toMatchObject({
        status: 200,
        headers: successHeaders,
        body: { _id: { $oid: created.id }, members: [{ $oid: owner.id }], ...body },
      });
    });

    it.each([
      [{ name: '$seq' }],
      [{ is_open: false }],
      [{ is_visible: false }],
      [{ is_open: false, is_visible: false, name: 'All of it' }],
    ])('PUT and PATCH of a room change %o and leave the rest', async (body) => {
      const created = await aRoom({ owner });
      const { body: before } = await call('GET', created.path, { token: owner.token });
      const { status, body: after } = await call('PATCH', created.path, { token: owner.token, body });
      expect({ status, body: after }).toEqual({ status: 200, body: { ...(before as object), ...body } });
      expect((await call('GET', created.path, { token: owner.token })).body).toEqual(after);
    });

    it('PUT and PATCH of a room are allowed for admins as well, who need not be members', async () => {
      const created = await aRoom({ is_visible: false });
      const { status, body } = await call('PATCH', created.path, { token: admin.token, body: { name: 'By an admin' } });
      expect({ status, body }).toMatchObject({ status: 200, body: { name: 'By an admin' } });
    });
  });

  describe('requests to a room that are refused and change nothing', () => {
    const all = { name: 'Taken over', is_open: false, is_visible: false };

    it.each<[string, string, string, Account | undefined, unknown, number, unknown]>([
      ['GET without a token', 'GET', room.path, undefined, undefined, 401, unauthenticated],
      ['GET of an unknown room', 'GET', nowhere, admin, undefined, 404, noSuch('room')],
      ['GET with a malformed id', 'GET', '/api/rooms/general', admin, undefined, 404, noSuch('room')],
      ['PUT without a token', 'PUT', room.path, undefined, all, 401, unauthenticated],
      ['PUT by a moderator', 'PUT', room.path, moderator, all, 403, denied('Room owner required.')],
      ['PUT by a member', 'PUT', room.path, member, all, 403, denied('Room owner required.')],
      ['PUT by a stranger', 'PUT', room.path, user, all, 403, denied('Room owner required.')],
      ['PUT of a hidden room by a stranger', 'PUT', hidden.path, user, all, 404, noSuch('room')],
      ['PUT of an unknown room', 'PUT', nowhere, admin, all, 404, noSuch('room')],
      ['PUT without a name', 'PUT', room.path, owner, { ...all, name: undefined }, 400, missing('name')],
      ['PUT without a flag', 'PUT', room.path, owner, { name: 'x', is_open: true }, 400, missing('is_visible')],
      [
        'PUT of a flag that is a text',
        'PUT',
        room.path,
        owner,
        { ...all, is_open: 'true' },
        400,
        invalid('is_open', 'be true or false'),
      ],
      ['PATCH without a change', 'PATCH', room.path, owner, {}, 400, missingEvery('name', 'is_open', 'is_visible')],
      [
        'PATCH of a flag that is null',
        'PATCH',
        room.path,
        owner,
        { is_visible: null },
        400,
        invalid('is_visible', 'be true or false'),
      ],
      [
        'PATCH of an empty name',
        'PATCH',
        room.path,
        owner,
        { name: '' },
        400,
        invalid('name', 'have 1 to 100 characters and not be blank'),
      ],
      ['PATCH by a moderator', 'PATCH', room.path, moderator, all, 403, denied('Room owner required.')],
      ['PATCH of a hidden room by a stranger', 'PATCH', hidden.path, user, all, 404, noSuch('room')],
      ['DELETE by its owner', 'DELETE', room.path, owner, undefined, 403, denied('Admin required.')],
      ['DELETE by a user, even of an unknown room', 'DELETE', nowhere, user, undefined, 403, denied('Admin required.')],
      ['DELETE of an unknown room', 'DELETE', nowhere, admin, undefined, 404, noSuch('room')],
    ])('a request to a room is refused: %s', async (_what, method, path, account, body, status, refusal) => {
      const refused = await call(method, path, { token: account?.token, body });
      expect({ status: refused.status, body: refused.body }).toEqual({ status, body: refusal });
      expect((await call('GET', room.path, { token: admin.token })).body).toEqual(general);
    });

    it('POST of a room is refused, with the methods of the path', async () => {
      const { status, headers } = await call('POST', room.path, { token: admin.token, body: {} });
      expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' });
    });
  });

  it('DELETE of a room deletes it for everyone, once', async () => {
    const created = await aRoom({ members: [member] });
    const id = await memberId(created, member);
    expect(await call('DELETE', created.path, { token: admin.token })).toMatchObject({ status: 204, body: '' });
    for (const [method, path] of [
      ['GET', created.path],
      ['DELETE', created.path],
      ['GET', `${created.path}/details`],
      ['GET', `/api/members?room=${created.id}`],
      ['GET', `/api/members/${id}`],
    ] as const) {
      expect((await call(method, path, { token: admin.token })).status).toBe(404);
    }
    const { body } = await call('GET', '/api/members?user=me&limit=200', { token: member.token });
    expect(JSON.stringify(body)).not.toContain(created.id);
  });
});

describe('a room', () => {
  it('a room records each change as an event with its own seq', async () => {
    const [ann, ben, eve] = [await anAccount(), await anAccount(), await anAccount()];
    const created = await aRoom({ owner: ann });
    const by = (account: Account, method: string, path: string, body?: unknown) =>
      inProcess(method, path, { token: account.token, body });
    await by(ann, 'PATCH', created.path, { name: 'Renamed' });
    await by(ann, 'PATCH', `${created.path}/details`, { archived: true });
    await by(ann, 'PATCH', `${created.path}/details`, { archived: false });
    await by(ben, 'POST', '/api/members', { room: created.id });
    const benId = await memberId(created, ben);
    await by(ann, 'PATCH', `/api/members/${benId}`, { role: 'moderator' });
    const eveId = await addMember(created, eve);
    await by(ben, 'DELETE', `/api/members/${eveId}?ban=true`);
    await by(ben, 'DELETE', `/api/members/${benId}`);

    const ids = { ann: new ObjectId(ann.id), ben: new ObjectId(ben.id), eve: new ObjectId(eve.id) };
    const asBen = { member: new ObjectId(benId), user: ids.ben };
    const asEve = { member: new ObjectId(eveId), user: ids.eve };
    const { events } = await import('../../lib/collections/rooms/events.ts');
    const recorded = await events.find({ room: new ObjectId(created.id) }, { sort: { seq: 1 } }).toArray();
    expect(recorded.map(({ seq, type, actor, data }) => ({ seq, type, actor, data }))).toEqual([
      { seq: 1, type: 'room.changed', actor: ids.ann, data: {} },
      { seq: 2, type: 'room.archived', actor: ids.ann, data: {} },
      { seq: 3, type: 'room.changed', actor: ids.ann, data: {} },
      { seq: 4, type: 'member.joined', actor: ids.ben, data: asBen },
      { seq: 5, type: 'member.changed', actor: ids.ann, data: { ...asBen, role: 'moderator' } },
      { seq: 6, type: 'member.joined', actor: ids.ann, data: asEve },
      { seq: 7, type: 'member.banned', actor: ids.ben, data: asEve },
      { seq: 8, type: 'member.left', actor: ids.ben, data: asBen },
    ]);
    expect(recorded.map(({ at }) => at)).toEqual(
      recorded.map(({ at }) => at).toSorted((one, other) => Number(one) - Number(other)),
    );
  });

  it('a room can be managed by an admin when the last member has left', async () => {
    const created = await aRoom();
    const { token } = await anAdmin();
    const id = await memberId(created, created.owner);
    expect((await inProcess('DELETE', `/api/members/${id}`, { token: created.owner.token })).status).toBe(204);
    expect(await inProcess('GET', created.path, { token })).toMatchObject({ status: 200, body: { members: [] } });
    expect((await inProcess('DELETE', created.path, { token })).status).toBe(204);
  });
});
