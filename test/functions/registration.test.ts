import { describe, expect, it } from 'vitest';
import { aName, anAccount, anAdmin } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { outcome } from '../support/responses.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ REGISTRATION: 'closed' });

describe('POST /api/users while registration is closed', () => {
  it('POST /api/users while registration is closed is for administrators, and refused to others before their body is checked', async () => {
    const [admin, user] = [await anAdmin(), await anAccount()];
    const username = aName();
    const body = { username, email: `${username}@example.org`, password: 'correct horse' };
    for (const token of [undefined, user.token, 'a'.repeat(32)]) {
      for (const sent of [body, {}]) {
        expect(outcome(await call('POST', '/api/users', { token, body: sent }))).toEqual(
          refusals.denied('Registration is closed.'),
        );
      }
    }
    expect(await call('POST', '/api/users', { token: admin.token, body })).toMatchObject({
      status: 201,
      body: { user: { username } },
    });
  });
});
