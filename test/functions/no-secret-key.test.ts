import { ObjectId } from 'mongodb';
import { expect, it, vi } from 'vitest';
import { users } from '../../lib/collections/accounts/users.ts';
import { anAccount, anAddress } from '../support/accounts.ts';
import { callWith, useConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { outcome } from '../support/responses.ts';
import { codeOf, turnOn } from '../support/second-factor.ts';
import { inProcess as withoutHere } from '../support/transports.ts';

useConfig({ SECRET_KEY: '', LOG_LEVEL: 'error' });

// Processes with different keys: none, one, another, and both, with the other first. The usual
// environment does not have a key, and errors are logged.
const [key, newKey] = ['ab'.repeat(32), 'cd'.repeat(32)];
const [without, withKey, withNewKey, withBoth] = ['', key, newKey, `${newKey},${key}`].map((SECRET_KEY) =>
  callWith({ SECRET_KEY, LOG_LEVEL: 'silent' }),
) as [Call, Call, Call, Call];

type Call = typeof withoutHere;
const logIn = (call: Call, { username, password }: { username: string; password: string }, second_factor?: string) =>
  call('POST', '/api/sessions', { body: { username, password, ...(second_factor && { second_factor }) }, source: anAddress() });
const secretOf = async (id: string) => (await users.findOne({ _id: new ObjectId(id) }))?.second_factor?.secret;

it('without SECRET_KEY no second factor is turned on', async () => {
  const account = await anAccount();
  const { token } = account;
  expect((await without('GET', '/api/second-factor', { token })).body).toMatchObject({ is_on: false, is_available: false });
  const body = { current_password: account.password };
  expect(outcome(await without('POST', '/api/second-factor', { token, body }))).toEqual(
    refusals.denied('Second factors are not available: the operator must set SECRET_KEY.'),
  );
  expect((await logIn(without, account)).status).toBe(201);
});

const unchecked = {
  status: 503,
  body: {
    title: 'Service unavailable',
    description: 'The second factor can’t be checked at present. Use a recovery code, or ask an administrator.',
    code: 'service_unavailable',
  },
};

it.each([
  ['without SECRET_KEY', without],
  ['with another SECRET_KEY', withNewKey],
])('%s, somebody with a second factor signs in by a recovery code alone', async (_what, call) => {
  const account = await anAccount();
  const { app, recovery } = await turnOn(withKey, account);
  expect(outcome(await logIn(call, account, codeOf(app, 1)))).toEqual(unchecked);
  expect((await logIn(call, account)).status).toBe(401);
  expect((await logIn(call, account, recovery[0])).status).toBe(201);
  // The code was not consumed: it works with the key.
  expect((await logIn(withKey, account, codeOf(app, 1))).status).toBe(201);
});

it('the log says why a second factor can’t be checked without the key, and not the code', async () => {
  const account = await anAccount();
  const { app } = await turnOn(withKey, account);
  const output = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const code = codeOf(app, 1);
  await logIn(withoutHere, account, code);
  const ofAccount = () =>
    output.mock.calls.flatMap(([text]) => String(text).split('\n')).filter((line) => line.includes(account.id));
  await expect.poll(ofAccount).toHaveLength(1);
  const lines = ofAccount();
  output.mockRestore();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'error',
      message: 'a second factor could not be checked',
      whom: account.id,
      error: 'SECRET_KEY is not set, or has not the key that encrypted the secret',
    },
  ]);
  expect(lines.join()).not.toContain(code);
});

it('a new key before the old one encrypts a secret again at its next use, so the old key can go', async () => {
  const account = await anAccount();
  const { app } = await turnOn(withKey, account);
  const encrypted = await secretOf(account.id);
  expect((await logIn(withBoth, account, codeOf(app, 1))).status).toBe(201);
  expect(await secretOf(account.id)).not.toBe(encrypted);
  await users.updateOne({ _id: new ObjectId(account.id) }, { $set: { 'second_factor.last_step': 0 } });
  expect((await logIn(withNewKey, account, codeOf(app))).status).toBe(201);
});

it('a secret that is copied to another account is of no use there', async () => {
  const [account, thief] = [await anAccount(), await anAccount()];
  const { app } = await turnOn(withKey, account);
  await turnOn(withKey, thief);
  const secret = (await secretOf(account.id)) ?? '';
  await users.updateOne({ _id: new ObjectId(thief.id) }, { $set: { 'second_factor.secret': secret } });
  expect(outcome(await logIn(withKey, thief, codeOf(app, 1)))).toEqual(unchecked);
});
