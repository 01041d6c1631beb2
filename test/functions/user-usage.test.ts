import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { rateLimits } from '../../lib/collections/accounts/rate-limits.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { anAccount, anAddress, anAdmin, aSession, logIn } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { outcome } from '../support/responses.ts';
import { aRoomOf } from '../support/rooms.ts';
import { transports } from '../support/transports.ts';

const admin = await anAdmin();

describe.each(transports())('/api/users/{user}/usage, %s', (_transport, call) => {
  it('GET /api/users/{user}/usage counts the sessions, named tokens, rooms and bytes of files of an account', async () => {
    const [account, other] = [await anAccount(), await anAccount()];
    await Promise.all([aSession(call, account), aSession(call, account)]);
    await aRoomOf([account, other]);
    await aRoomOf([other, account]);
    expect(outcome(await call('GET', `/api/users/${account.id}/usage`, { token: admin.token }))).toEqual({
      status: 200,
      body: {
        sessions: 2,
        tokens: 1,
        rooms: 2,
        owned_rooms: 1,
        file_bytes: 0,
        passkeys: 0,
        has_second_factor: false,
        is_held: false,
        writes_per_second: null,
      },
    });
  });

  it('DELETE /api/users/{user}/usage lets the owner log in and write again after too many attempts', async () => {
    const account = await anAccount();
    const { id, username, password } = account;
    const source = anAddress();
    let last = 401;
    for (let attempt = 0; attempt < 50 && last === 401; attempt++) {
      last = (await logIn(call, username, `wrong ${attempt}`, source)).status;
    }
    expect(last).toBe(429);
    expect((await logIn(call, username, password, source)).status).toBe(429);
    const counted = { free_at: new Date(), checked_at: new Date(), is_granted: true, expires_at: new Date() };
    await rateLimits.insertOne({ _id: id, ...counted });
    expect(outcome(await call('DELETE', `/api/users/${id}/usage`, { token: admin.token }))).toEqual({ status: 204, body: '' });
    expect((await logIn(call, username, password, source)).status).toBe(201);
    expect(await rateLimits.findOne({ _id: id })).toBeNull();
  });

  it('PATCH puts an account on hold and releases it, even a deleted one; only administrators see the hold', async () => {
    const { id, token } = await anAccount();
    const path = `/api/users/${id}/usage`;
    const hold = (is_held: unknown) => call('PATCH', path, { token: admin.token, body: { is_held } });
    for (const is_held of [true, true, false, true]) {
      expect(outcome(await hold(is_held))).toEqual({ status: 204, body: '' });
      expect((await call('GET', path, { token: admin.token })).body).toMatchObject({ is_held });
    }
    expect(JSON.stringify((await call('GET', '/api/users/me', { token })).body)).not.toContain('held');
    expect(outcome(await hold('yes'))).toEqual(refusals.invalid('is_held', 'be true or false'));
    await deleteUser(new ObjectId(id));
    expect(await users.unscoped.findOne({ _id: new ObjectId(id) })).toMatchObject({ is_held: true });
    expect((await hold(false)).status).toBe(204);
    expect(await users.unscoped.findOne({ _id: new ObjectId(id) })).not.toHaveProperty('is_held');
  });

  it('PATCH sets and removes the write rate of an account, independently of its hold', async () => {
    const { id } = await anAccount();
    const path = `/api/users/${id}/usage`;
    const set = (body: object) => call('PATCH', path, { token: admin.token, body });
    const changes = [
      [{ writes_per_second: 1_000 }, { writes_per_second: 1_000, is_held: false }],
      [{ is_held: true }, { writes_per_second: 1_000, is_held: true }],
      [{ writes_per_second: null }, { writes_per_second: null, is_held: true }],
      [
        { writes_per_second: 1, is_held: false },
        { writes_per_second: 1, is_held: false },
      ],
    ] as const;
    for (const [body, after] of changes) {
      expect(outcome(await set(body))).toEqual({ status: 204, body: '' });
      expect((await call('GET', path, { token: admin.token })).body).toMatchObject(after);
    }
    for (const wrong of [0, 1.5, 10_001, '5'])
      expect(outcome(await set({ writes_per_second: wrong }))).toEqual(
        refusals.invalid('writes_per_second', 'be null, or from 1 to 10000'),
      );
    expect((await set({})).status).toBe(400);
  });

  it('PATCH refuses a rate for a deleted account and changes nothing', async () => {
    const { id } = await anAccount();
    await deleteUser(new ObjectId(id));
    const body = { is_held: true, writes_per_second: 5 };
    expect(outcome(await call('PATCH', `/api/users/${id}/usage`, { token: admin.token, body }))).toEqual(refusals.noSuch('user'));
    expect(await users.unscoped.findOne({ _id: new ObjectId(id) })).not.toHaveProperty('is_held');
  });

  it('only administrators can read and change the usage of an account, and only of an existing one', async () => {
    const { id, token } = await anAccount();
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { is_held: true } : undefined;
      expect(outcome(await call(method, `/api/users/${id}/usage`, { token, body }))).toEqual(refusals.denied());
      const unknown = `/api/users/${new ObjectId().toHexString()}/usage`;
      expect(outcome(await call(method, unknown, { token: admin.token, body }))).toEqual(refusals.noSuch('user'));
    }
  });
});
