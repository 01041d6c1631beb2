import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { denied, invalid, missingEvery, noSuch } from '../support/error-bodies.ts';
import { aRoom, aRoomWithEveryone } from '../support/rooms.ts';
import { transports } from '../support/transports.ts';

const { room, owner, moderator, member, user, admin } = await aRoomWithEveryone();
const hidden = await aRoom({ owner, is_visible: false });
const nowhere = `/api/rooms/${new ObjectId()}`;
const successHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'max-age=86400, must-revalidate, no-store',
  vary: 'Accept-Encoding',
};

describe.each(transports())('/api/rooms/{room}/details, %s', (_transport, call) => {
  const aDate = { $date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) };

  it('GET /api/rooms/{room}/details returns the details to members and admins', async () => {
    for (const { token } of [owner, moderator, member, admin]) {
      const { status, headers, body } = await call('GET', `${room.path}/details`, { token });
      expect({ status, headers, body }).toEqual({
        status: 200,
        headers: expect.objectContaining(successHeaders),
        body: {
          room: { $oid: room.id },
          topic: '',
          created_at: aDate,
          created_by: { $oid: owner.id },
          member_count: 3,
          message_count: 0,
          last_message_at: null,
          archived_at: null,
          is_direct: false,
          is_default: false,
          mention_all_role: 'member',
          retention_days: null,
        },
      });
    }
  });

  it.each([' ', '\u200b', '\u2800\u3164'])('PATCH of the details takes the blank topic %j for none', async (topic) => {
    const created = await aRoom({ owner });
    const { status, body } = await call('PATCH', `${created.path}/details`, { token: owner.token, body: { topic } });
    expect({ status, body }).toMatchObject({ status: 200, body: { topic: '' } });
  });

  it.each(['All about owls 🦉', '', '$name', 'x'.repeat(250)])('PATCH of the details sets the topic to %j', async (topic) => {
    const created = await aRoom({ owner });
    const { status, body } = await call('PATCH', `${created.path}/details`, { token: owner.token, body: { topic } });
    expect({ status, body }).toMatchObject({ status: 200, body: { topic, archived_at: null, room: { $oid: created.id } } });
    expect((await call('GET', `${created.path}/details`, { token: owner.token })).body).toEqual(body);
  });

  it('PATCH of the details archives a room, so that nobody can join, and restores it', async () => {
    const created = await aRoom({ owner });
    const archive = (archived: boolean) => call('PATCH', `${created.path}/details`, { token: owner.token, body: { archived } });
    const join = async (account: Account) =>
      (await call('POST', '/api/members', { token: account.token, body: { room: created.id } })).status;

    const archived = await archive(true);
    expect(archived).toMatchObject({ status: 200, body: { archived_at: aDate, topic: '' } });
    expect(await archive(true)).toMatchObject({ status: 200, body: archived.body as object });
    expect(await join(user)).toBe(409);
    expect(await archive(false)).toMatchObject({ status: 200, body: { archived_at: null } });
    expect(await join(user)).toBe(201);
  });

  it.each<[string, string, string, Account, unknown, number, unknown]>([
    ['GET by a stranger', 'GET', room.path, user, undefined, 403, denied('Room membership required.')],
    ['GET of a hidden room by a stranger', 'GET', hidden.path, user, undefined, 404, noSuch('room')],
    ['GET of an unknown room', 'GET', nowhere, admin, undefined, 404, noSuch('room')],
    ['PATCH by a moderator', 'PATCH', room.path, moderator, { topic: 'x' }, 403, denied('Room owner required.')],
    ['PATCH by a stranger', 'PATCH', room.path, user, { topic: 'x' }, 403, denied('Room owner required.')],
    ['PATCH of a hidden room by a stranger', 'PATCH', hidden.path, user, { topic: 'x' }, 404, noSuch('room')],
    [
      'PATCH without a change',
      'PATCH',
      room.path,
      owner,
      {},
      400,
      missingEvery('topic', 'archived', 'is_default', 'is_held', 'mention_all_role', 'retention_days'),
    ],
    [
      'PATCH of a topic of 251 characters',
      'PATCH',
      room.path,
      owner,
      { topic: 'x'.repeat(251) },
      400,
      invalid('topic', 'be a text of at most 250 characters'),
    ],
    [
      'PATCH with archived as a text',
      'PATCH',
      room.path,
      owner,
      { archived: 'no' },
      400,
      invalid('archived', 'be true or false'),
    ],
  ])('/api/rooms/{room}/details refuses %s', async (_what, method, path, account, body, status, refusal) => {
    const refused = await call(method, `${path}/details`, { token: account.token, body });
    expect({ status: refused.status, body: refused.body }).toEqual({ status, body: refusal });
    expect((await call('GET', `${room.path}/details`, { token: owner.token })).body).toMatchObject({
      topic: '',
      archived_at: null,
    });
  });
});
