import { expect, it } from 'vitest';
import { passkeyChallenges } from '../../lib/collections/accounts/passkey-challenges.ts';
import { anAccount, anAddress, aSession } from '../support/accounts.ts';
import { addPasskey, sign } from '../support/authenticator.ts';
import { useConfig, useOwnDatabase } from '../support/config.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ RATE_LIMITS: 'on' });
useOwnDatabase();

it('one network begins 250 sign-ins with passkeys in five minutes, and others go on', async () => {
  const [source, other] = [anAddress(), anAddress()];
  const { passkey } = await addPasskey(call, await anAccount());
  const begin = (from: string) => call('POST', '/api/passkey-sessions', { body: {}, source: from });
  const replies = await Promise.all(Array.from({ length: 260 }, () => begin(source)));
  const begun = replies.filter(({ status }) => status === 201);
  expect(begun).toHaveLength(250);
  expect(await begin(source)).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
  expect((await begin(other)).status).toBe(201);
  expect(await passkeyChallenges.countDocuments({ account: { $exists: false } })).toBe(251);
  // Started sign-ins can be completed.
  const [first] = begun.map(({ body }) => (body as { challenge: string }).challenge);
  expect((await call('PUT', '/api/passkey-sessions', { body: sign(passkey, first ?? ''), source })).status).toBe(201);
});

it('a password is guessed 5 times in 15 minutes to add a passkey, or to remove one', async () => {
  const account = await anAccount();
  const { id } = await addPasskey(call, account);
  const token = await aSession(call, account);
  const guess = (method: string, path: string) => call(method, path, { token, body: { current_password: 'incorrect horse' } });
  for (let count = 0; count < 5; count++) expect((await guess('POST', '/api/passkeys')).status).toBe(403);
  const body = { current_password: account.password };
  for (const [method, path] of [
    ['POST', '/api/passkeys'],
    ['DELETE', `/api/passkeys/${id}`],
  ] as const)
    expect((await call(method, path, { token, body })).status).toBe(429);
});
