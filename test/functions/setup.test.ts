import { afterAll, expect, it } from 'vitest';
import { createSetupCode } from '../../lib/accounts/setup-code.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { audit } from '../../lib/collections/service/audit.ts';
import { createCode } from '../../lib/credentials/codes.ts';
import { anAccount, anAddress } from '../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { callThrough } from '../support/processes.ts';
import { anyToken, outcome } from '../support/responses.ts';
import { admin } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ RATE_LIMITS: 'on', SIGN_UPS_PER_HOUR: '3', REGISTRATION: 'closed', EMAIL_CONFIRMATION: 'required' });
useOwnDatabase();

const others = await callThrough(2, {});
afterAll(others.end);

const setUp = (sent: object, { source = anAddress(), through = call } = {}) =>
  through('POST', '/api/setup', {
    source,
    body: { username: 'admin', email: 'ann@example.org', password: 'correct horse', ...sent },
  });
const codeIn = (link: string) => /\/setup#([a-z0-9]{32})$/.exec(link)?.[1];
const aCode = async () => codeIn((await createSetupCode())?.path ?? '');
const anExpiredCode = async () => {
  const { code } = await createCode({ email: '', account: null, is_for_setup: true }, -1);
  return code;
};

it('the first administrator is created once, and only with a code', async () => {
  const code = await aCode();
  const source = anAddress();
  const { code: ofAnAddress } = await createCode({ email: 'ann@example.org' });
  for (const wrong of ['a'.repeat(32), ofAnAddress, await anExpiredCode()])
    expect(outcome(await setUp({ code: wrong }, { source }))).toEqual(refusals.noSuch('code'));
  const wrong = await setUp({ code: 'a'.repeat(32) }, { source });
  expect(wrong).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
  expect(outcome(await setUp({ code: 'short' }))).toEqual(refusals.invalid('code', 'be the 32 characters of a code'));
  expect((await setUp({ code, password: 'short' })).status).toBe(400);
  expect(outcome(await call('GET', '/api/setup'))).toEqual({ status: 200, body: { is_done: false, is_signed_in: false } });
  expect(await users.unscoped.countDocuments()).toBe(0);

  // A user who signs up first does not become an administrator. The codes stay valid, even after
  // any number of wrong ones.
  const early = await anAccount({ username: 'early' });
  const taken = refusals.conflict('The username is already in use.');
  expect(outcome(await setUp({ code, username: early.username }, { source }))).toEqual(taken);

  // The command after the first code was lost; each code is valid until one is used.
  const { stdout } = await admin(['setup']);
  expect(stdout).toMatch(/^https:\/\/chat\.example\.org\/setup#[a-z0-9]{32}\n$/);
  const all = [code, codeIn(stdout.trim()), code, await aCode(), await aCode()];
  const replies = await Promise.all(
    [...all, ...all].map((one, at) =>
      setUp(
        { code: one, username: `admin${at % 3}`, name: 'Ann Björk', email: `${at}@example.org` },
        { source, through: others.call },
      ),
    ),
  );
  const made = replies.filter(({ status }) => status === 201);
  expect(made).toMatchObject([{ body: { user: { name: 'Ann Björk', is_admin: true, is_active: true }, token: anyToken } }]);
  const late = refusals.denied('There is an administrator already.');
  for (const reply of replies.filter(({ status }) => status !== 201))
    expect([late, refusals.noSuch('code')]).toContainEqual(outcome(reply));
  expect(await users.unscoped.countDocuments()).toBe(2);

  const [{ token, user }] = made.map(({ body }) => body) as [{ token: string; user: { username: string } }];
  const found = await audit.find({ action: 'user.created', 'actor.kind': 'service' }).toArray();
  expect(found).toMatchObject([{ target: { name: user.username }, source }]);
  expect((await call('GET', '/api/rooms', { token })).status).toBe(200);
  expect(outcome(await call('GET', '/api/setup'))).toEqual({ status: 200, body: { is_done: true, is_signed_in: false } });
  expect(outcome(await setUp({ code: all.at(-1), username: 'late' }))).toEqual(late);
  expect(await createSetupCode()).toBeUndefined();
  expect(await admin(['setup'])).toMatchObject({ code: 1, stderr: expect.stringContaining('There is an administrator already') });
});
