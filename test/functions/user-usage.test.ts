import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rateLimits } from '../../lib/collections/rate-limits.ts';
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
      body: { sessions: 2, tokens: 1, rooms: 2, owned_rooms: 1, file_bytes: 0, passkeys: 0, has_second_factor: false },
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

  it('is for administrators, and about accounts that exist', async () => {
    const { id, token } = await anAccount();
    for (const method of ['GET', 'DELETE']) {
      expect(outcome(await call(method, `/api/users/${id}/usage`, { token }))).toEqual(refusals.denied());
      const unknown = `/api/users/${new ObjectId().toHexString()}/usage`;
      expect(outcome(await call(method, unknown, { token: admin.token }))).toEqual(refusals.noSuch('user'));
    }
  });
});
