import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { createToken } from '../../lib/identity/api-tokens.ts';
import { findCaller } from '../../lib/identity/authenticate.ts';
import { findOpener } from '../../lib/push/open.ts';
import { createTicket } from '../../lib/push/tickets.ts';
import { functions } from '../../tools/harness/functions.ts';
import { anAccount, anAdmin, aSession } from '../support/accounts.ts';
import { addPasskey, signInWith } from '../support/authenticator.ts';
import { callWith, useConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { outcome } from '../support/responses.ts';
import { turnOn } from '../support/second-factor.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ REQUIRE_2FA: 'all' });

const sentence = 'The account must have a second factor: set one up first.';
const refused = refusals.denied(sentence);
const path = '/api/second-factor';
const tokenIn = ({ body }: { body: unknown }) => (body as { token: string }).token;
const socket = (header: object) => ({ 'sec-websocket-protocol': 'chat.v1', ...header });

const operations = (
  await Promise.all(
    functions.map(async ({ path, file }) => {
      const { handler } = (await import(new URL(`../../${file}`, import.meta.url).href)) as {
        handler: { operations: Record<string, { access: string; isForSetUp?: true }> };
      };
      return Object.entries(handler.operations).map(([method, { access, isForSetUp }]) => ({
        name: `${method} ${path}`,
        method,
        path,
        access,
        isForSetUp,
      }));
    }),
  )
).flat();

describe('an account without the second factor that everyone must have', () => {
  it.each(operations.filter(({ access, isForSetUp }) => access !== 'anyone' && !isForSetUp))(
    'an account without a required second factor is refused $name',
    async ({ method, path }) => {
      const token = await aSession(call, await anAdmin());
      const address = path.replaceAll(/\{\w+\}/g, 'me');
      const { status, body } = await call(method, address, { token, ...(method !== 'GET' && { body: {} }) });
      expect({ status, description: (body as { description: string }).description }).toEqual({
        status: 403,
        description: sentence,
      });
    },
  );

  it('an account without a required second factor can do nothing else but read itself, set one up and sign out', () => {
    const allowed = operations.filter(({ isForSetUp }) => isForSetUp).map(({ name }) => name);
    expect(allowed.sort()).toEqual([
      'DELETE /api/sessions/{session}',
      'GET /api/second-factor',
      'GET /api/setup',
      'GET /api/users/{user}',
      'POST /api/second-factor',
      'PUT /api/second-factor',
    ]);
  });

  it('an account without a required second factor may sign in, read itself, and sign out', async () => {
    const account = await anAccount();
    const token = await aSession(call, account);
    for (const user of ['me', account.id]) expect((await call('GET', `/api/users/${user}`, { token })).status).toBe(200);
    expect((await call('GET', path, { token })).body).toMatchObject({ is_on: false, is_required: true });
    expect((await call('GET', '/api/setup', { token })).body).toMatchObject({ is_signed_in: true });
    expect((await call('DELETE', '/api/sessions/current', { token })).status).toBe(204);
    expect((await call('GET', '/api/users/me', { token })).status).toBe(401);
  });

  it('an account without a required second factor sees and ends nothing of others', async () => {
    const [token, other] = [await aSession(call, await anAdmin()), await anAccount()];
    expect(outcome(await call('GET', `/api/users/${other.id}`, { token }))).toEqual(refused);
    expect(outcome(await call('DELETE', `/api/sessions/${other.id}`, { token }))).toEqual(refused);
  });

  it('an account without a required second factor counts as nobody: an administrator makes no other', async () => {
    const token = await aSession(call, await anAdmin());
    const { username, email } = {
      username: `user-${crypto.randomUUID().slice(0, 8)}`,
      email: `${crypto.randomUUID()}@example.org`,
    };
    const body = { username, email, password: 'correct horse', is_admin: true };
    expect(outcome(await call('POST', '/api/users', { token, body }))).toEqual(refusals.denied());
  });

  it('an account without a required second factor cannot open a connection by token or ticket', async () => {
    const account = await anAccount();
    const token = await aSession(call, account);
    await expect(findOpener(socket({ 'x-auth-token': token }))).rejects.toMatchObject({ status: 403 });
    const caller = await findCaller(token);
    const { ticket } = await createTicket(caller as NonNullable<typeof caller>);
    await expect(findOpener({ 'sec-websocket-protocol': `chat.v1, ticket.${ticket}` })).rejects.toMatchObject({ status: 401 });
  });

  it('an account without a required second factor goes on as soon as it has one, in the same session', async () => {
    const account = await anAccount();
    const token = await aSession(call, account);
    expect(outcome(await call('GET', '/api/sessions', { token }))).toEqual(refused);
    const { recovery } = await turnOn(call, { ...account, token });
    expect((await call('GET', '/api/sessions', { token })).status).toBe(200);
    await expect(findOpener(socket({ 'x-auth-token': token }))).resolves.toMatchObject({ user: { username: account.username } });
    // After it is turned off, it must be set up again.
    const body = { code: recovery[0], current_password: account.password };
    expect((await call('DELETE', path, { token, body })).status).toBe(204);
    expect(outcome(await call('GET', '/api/sessions', { token }))).toEqual(refused);
  });

  it('an account without a required second factor has full access in a session started with a passkey, but cannot add one before', async () => {
    const account = await anAccount();
    const { passkey } = await addPasskey(call, account);
    const [byPasskey, byPassword] = [tokenIn(await signInWith(call, passkey)), await aSession(call, account)];
    expect((await call('GET', '/api/sessions', { token: byPasskey })).status).toBe(200);
    const caller = await findCaller(byPasskey);
    const { ticket } = await createTicket(caller as NonNullable<typeof caller>);
    await expect(findOpener({ 'sec-websocket-protocol': `chat.v1, ticket.${ticket}` })).resolves.toMatchObject({
      user: { username: account.username },
    });
    expect(outcome(await call('GET', '/api/sessions', { token: byPassword }))).toEqual(refused);
    const body = { current_password: account.password };
    expect(outcome(await call('POST', '/api/passkeys', { token: byPassword, body }))).toEqual(refused);
    expect((await call('POST', '/api/passkeys', { token: byPasskey, body })).status).toBe(201);
  });

  it('an account without a required second factor can use its named tokens', async () => {
    const account = await anAccount();
    const { token } = await createToken(new ObjectId(account.id), 'bot', { scopes: ['rooms:read'] });
    expect((await call('GET', '/api/directory', { token })).status).toBe(200);
  });
});

describe('administrators who must have a second factor', async () => {
  const strict = callWith({ REQUIRE_2FA: 'admins' });
  const statusFor = async (token: string) => (await strict('GET', '/api/sessions', { token })).status;

  it('only administrators need a second factor where administrators must have one', async () => {
    const account = await anAccount();
    const token = await aSession(call, account);
    expect([await statusFor(token), await statusFor(await aSession(call, await anAdmin()))]).toEqual([200, 403]);
    expect((await strict('GET', path, { token })).body).toMatchObject({ is_required: false });
    const { token: admin } = await anAdmin();
    const promoted = await strict('PATCH', `/api/users/${account.id}`, { token: admin, body: { is_admin: true } });
    expect([promoted.status, await statusFor(token)]).toEqual([200, 403]);
  });
});
