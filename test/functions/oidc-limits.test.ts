import { afterAll, expect, it } from 'vitest';
import { oidcRequests } from '../../lib/collections/accounts/oidc-requests.ts';
import { aName, anAccount, anAddress } from '../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../support/config.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { signInBy } from '../support/oidc-browser.ts';
import { aRoom } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const provider = await startIdentityProvider({ callback: 'https://chat.example.org/oidc' });
useConfig({ ...provider.settings, RATE_LIMITS: 'on', SIGN_UPS_PER_DAY: '2' });
useOwnDatabase();

afterAll(provider.close);

it('one network begins 250 sign-ins in five minutes, and others go on', async () => {
  const [source, other] = [anAddress(), anAddress()];
  const start = (from: string) => call('POST', '/api/oidc/start', { body: {}, source: from });
  const replies = await Promise.all(Array.from({ length: 260 }, () => start(source)));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(250);
  expect(await start(source)).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
  expect((await start(other)).status).toBe(201);
  expect(await oidcRequests.countDocuments({})).toBe(251);
});

it('an inviter answers for so many new accounts an hour, however they come', async () => {
  const owner = await anAccount();
  const room = await aRoom({ owner });
  const { body } = await call('POST', `${room.path}/invitations`, { token: owner.token, body: {} });
  const sent = { invitation: (body as { code: string }).code };
  const replies = [];
  for (const person of [aName(), aName(), aName()]) {
    provider.people.set(person, { preferred_username: person, email: `${person}@example.org` });
    replies.push(await signInBy(provider, person, { sent }));
  }
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 429]);
});
