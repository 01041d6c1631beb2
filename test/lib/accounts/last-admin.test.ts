import { ObjectId } from 'mongodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimTtl } from '../../../lib/accounts/last-admin.ts';
import { database } from '../../../lib/database/client.ts';
import { anAccount, anAdmin } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { inProcess as call } from '../../support/transports.ts';

// Every account affects who is the last administrator, so this needs its own database.
useOwnDatabase();

const users = database.collection('users');
beforeEach(async () => {
  await users.deleteMany({});
});

const lastStays = {
  status: 409,
  body: { title: 'Conflict', description: 'The last administrator must remain an administrator.', code: 'last_admin' },
};

describe('the last administrator', () => {
  it.each([
    ['demoted', (id: string, token: string) => call('PATCH', `/api/users/${id}`, { token, body: { is_admin: false } })],
    ['deactivated', (id: string, token: string) => call('PATCH', `/api/users/${id}`, { token, body: { is_active: false } })],
    [
      'deleted',
      (id: string, token: string, current_password: string) =>
        call('DELETE', `/api/users/${id}`, { token, body: { current_password } }),
    ],
  ])("the last administrator can't be %s unless there is another active administrator", async (_how, leave) => {
    const { id, token, password } = await anAdmin();
    const deactivated = await anAdmin();
    expect((await call('PATCH', `/api/users/${deactivated.id}`, { token, body: { is_active: false } })).status).toBe(200);
    await anAccount();
    expect(await leave(id, token, password)).toMatchObject(lastStays);
    expect(await call('GET', '/api/users/me', { token })).toMatchObject({ status: 200, body: { is_admin: true } });

    const successor = await anAdmin();
    expect((await leave(id, token, password)).status).toBeLessThan(300);
    expect(await leave(successor.id, successor.token, successor.password)).toMatchObject(lastStays);
  });

  it('the last administrator may change everything else', async () => {
    const { token, password } = await anAdmin();
    const body = {
      email: 'last@example.org',
      password: 'battery staple',
      current_password: password,
      is_admin: true,
      is_active: true,
    };
    expect(await call('PATCH', '/api/users/me', { token, body })).toMatchObject({
      status: 200,
      body: { email: 'last@example.org' },
    });
  });

  it('the last administrator can step down after a process died that was about to demote the other', async () => {
    const [mine, abandoned] = [await anAdmin(), await anAdmin()];
    const claim = { id: new ObjectId(), at: new Date(Date.now() - claimTtl - 1_000) };
    await users.updateOne({ _id: new ObjectId(abandoned.id) }, { $set: { leaving: claim } });
    const body = { is_admin: false };
    expect((await call('PATCH', '/api/users/me', { token: mine.token, body })).status).toBe(200);
    // The claim is released. If that process resumes, its update does not find the claim and
    // changes nothing.
    expect(await users.findOne({ _id: new ObjectId(abandoned.id) })).not.toHaveProperty('leaving');
    expect(await call('PATCH', '/api/users/me', { token: abandoned.token, body })).toMatchObject(lastStays);
  });

  it('the last administrator stays unclaimed when its change is refused for another reason', async () => {
    const [{ id, token, password }, other] = [await anAdmin(), await anAccount()];
    await anAdmin();
    const body = { is_admin: false, email: other.email, current_password: password };
    expect((await call('PATCH', `/api/users/${id}`, { token, body })).body).toEqual({
      title: 'Conflict',
      description: 'The e-mail address is already in use.',
      code: 'email_taken',
    });
    expect(await users.findOne({ _id: new ObjectId(id) })).not.toHaveProperty('leaving');
    expect((await call('PATCH', `/api/users/${id}`, { token, body: { is_admin: false } })).status).toBe(200);
  });
});
