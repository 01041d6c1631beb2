import { describe, expect, it } from 'vitest';
import { type Account, aName, anAccount, anAddress, aSession } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { anyDate, anyId, anyToken, outcome } from '../support/responses.ts';
import { aRoomOf } from '../support/rooms.ts';
import { type Call, type Reply, transports } from '../support/transports.ts';

const https = { 'x-forwarded-proto': 'https' };

/** Logs in like a browser, and returns the response. */
const logIn = (call: Call, { username, password }: Account, headers: Record<string, string> = {}): Promise<Reply> =>
  call('POST', '/api/sessions', { body: { username, password, cookie: true }, headers, source: anAddress() });

/** The request header for a cookie that was set. */
const cookieOf = ({ headers }: Reply): string => headers['set-cookie']?.split(';')[0] ?? '';

/** The attributes of a cookie, sorted. */
const attributesOf = ({ headers }: Reply) =>
  headers['set-cookie']
    ?.split(/; */)
    .slice(1)
    .filter((attribute) => !attribute.startsWith('Expires='))
    .sort();

describe.each(transports())('a session in a cookie, %s', (_transport, call) => {
  const whoIs = (headers: Record<string, string>, token?: string) => call('GET', '/api/users/me', { headers, token });

  it('a session in a cookie is set by a login with `cookie`, without showing the token', async () => {
    const ann = await anAccount();
    const reply = await logIn(call, ann);
    expect(outcome(reply)).toEqual({
      status: 201,
      body: { expires_at: anyDate, user: expect.objectContaining({ username: ann.username }) },
    });
    expect(cookieOf(reply)).toMatch(/^session=[a-z0-9]{32}$/);
    expect(attributesOf(reply)).toEqual(['HttpOnly', `Max-Age=${30 * 86_400}`, 'Path=/', 'SameSite=Strict']);
    expect(await whoIs({ cookie: `theme=dark; ${cookieOf(reply)}; lang=en` })).toMatchObject({
      status: 200,
      body: { username: ann.username },
    });
  });

  it('a session cookie is limited to its host, and to https if the request came over https', async () => {
    const reply = await logIn(call, await anAccount(), https);
    expect(cookieOf(reply)).toMatch(/^__Host-session=[a-z0-9]{32}$/);
    expect(attributesOf(reply)).toContain('Secure');
    const cookie = cookieOf(reply);
    expect((await whoIs({ ...https, cookie })).status).toBe(200);
    // Without the prefix, the network or a subdomain could set the cookie.
    expect((await whoIs({ ...https, cookie: cookie.replace('__Host-', '') })).status).toBe(401);
    expect((await whoIs({ cookie })).status).toBe(401);
  });

  it.each([
    ['/api/sessions', (ann: Account) => ({ username: ann.username, password: ann.password })],
    ['/api/users', () => ({ username: aName(), email: `${aName()}@example.org`, password: 'correct horse' })],
    [
      '/api/setup',
      () => ({ code: 'a'.repeat(32), username: aName(), email: `${aName()}@example.org`, password: 'correct horse' }),
    ],
  ])('a session in a cookie is not given by %s to a page of another origin', async (path, bodyOf) => {
    const body = { ...bodyOf(await anAccount()), cookie: true };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ]) {
      const reply = await call('POST', path, { body, headers, source: anAddress() });
      expect(outcome(reply)).toEqual(refusals.denied("Only a page of the service's own origin gets a session in a cookie."));
      expect(reply.headers).not.toHaveProperty('set-cookie');
    }
  });

  it('a session in a cookie is set by a sign-up with `cookie`', async () => {
    const username = aName();
    const body = { username, email: `${username}@example.org`, password: 'correct horse', cookie: true };
    const reply = await call('POST', '/api/users', { body });
    expect(outcome(reply)).toEqual({ status: 201, body: { user: expect.objectContaining({ username, _id: anyId }) } });
    expect(await whoIs({ cookie: cookieOf(reply) })).toMatchObject({ status: 200, body: { username } });
  });

  it('a session in a cookie is not set by a login without `cookie`', async () => {
    const { username, password } = await anAccount();
    for (const cookie of [undefined, false]) {
      const reply = await call('POST', '/api/sessions', { body: { username, password, cookie }, source: anAddress() });
      expect(reply).toMatchObject({ status: 201, body: { token: anyToken } });
      expect(reply.headers).not.toHaveProperty('set-cookie');
    }
    expect(outcome(await call('POST', '/api/sessions', { body: { username, password, cookie: 'yes' } }))).toEqual(
      refusals.invalid('cookie', 'be true or false'),
    );
    const wrong = await call('POST', '/api/sessions', {
      body: { username, password: 'wrong', cookie: true },
      source: anAddress(),
    });
    expect(outcome(wrong)).toEqual(refusals.wrongLogin);
    expect(wrong.headers).not.toHaveProperty('set-cookie');
  });

  it('a token in Authorization takes precedence over a session cookie, but credentials of a proxy do not', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const { headers } = await call('POST', '/api/sessions', {
      body: { username: ann.username, password: ann.password, cookie: true },
    });
    const cookie = headers['set-cookie']?.split(';')[0] ?? '';
    const callerOf = async (authorization: string) => {
      const { status, body } = await call('GET', '/api/users/me', { headers: { cookie, authorization } });
      return status === 200 ? (body as { username: string }).username : status;
    };
    expect(await callerOf(`Bearer ${bob.token}`)).toBe(bob.username);
    expect(await callerOf(`Bearer ${'a'.repeat(32)}`)).toBe(401);
    expect(await callerOf('Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl')).toBe(ann.username);
    expect(await callerOf('Basic YW5uOm9wZW4=')).toBe(ann.username);
  });

  it('a session in a cookie gives way to X-Auth-Token, also to one that is not valid', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const cookie = cookieOf(await logIn(call, ann));
    expect(await whoIs({ cookie }, bob.token)).toMatchObject({ status: 200, body: { username: bob.username } });
    expect(outcome(await whoIs({ cookie }, 'a'.repeat(32)))).toEqual(refusals.unauthenticated);
  });

  it.each<[string, Record<string, string>, number]>([
    ["the service's own page", { 'sec-fetch-site': 'same-origin' }, 200],
    [
      "the service's own page, in a browser that says only its origin",
      { host: 'chat.example.org', origin: 'https://chat.example.org' },
      200,
    ],
    ['a program', {}, 200],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 401],
    ['another port or subdomain', { 'sec-fetch-site': 'same-site' }, 401],
    ['an address that somebody was made to open', { 'sec-fetch-site': 'none' }, 401],
    ['another origin, in a browser that says only that', { host: 'chat.example.org', origin: 'https://example.org' }, 401],
    ['another port, in a browser that says only that', { host: 'chat.example.org', origin: 'http://chat.example.org:8080' }, 401],
    [
      "the service's own page on another port, of which a proxy passes on the host",
      { host: 'chat.lan', origin: 'http://chat.lan:8080', 'x-forwarded-host': 'chat.lan:8080' },
      200,
    ],
    [
      "the service's own page on another port, of which a proxy passes on the port",
      { host: 'chat.lan', origin: 'http://chat.lan:8080', 'x-forwarded-port': '8080' },
      200,
    ],
    ["the service's own page on a port that is written in full", { host: 'Chat.lan:80', origin: 'http://chat.lan' }, 200],
    [
      'another port, whatever a proxy passes on',
      { host: 'chat.lan', origin: 'http://chat.lan:81', 'x-forwarded-host': 'chat.lan:8080', 'x-forwarded-port': '8080' },
      401,
    ],
    ['a page without an origin', { host: 'chat.example.org', origin: 'null' }, 401],
    [
      'another site that names the own origin',
      { 'sec-fetch-site': 'cross-site', host: 'chat.example.org', origin: 'https://chat.example.org' },
      401,
    ],
  ])('a session in a cookie is judged by the headers in a request of %s', async (_whose, headers, status) => {
    const ann = await anAccount();
    const cookie = cookieOf(await logIn(call, ann));
    expect((await whoIs({ ...headers, cookie })).status).toBe(status);
    expect((await whoIs(headers, ann.token)).status).toBe(200);
    const room = await aRoomOf([ann]);
    const sent = await call('POST', '/api/messages', { headers: { ...headers, cookie }, body: { room, text: 'Hello' } });
    expect(sent.status).toBe(status === 200 ? 201 : 401);
  });

  it('a logout ends the session of a cookie and clears the cookie', async () => {
    const ann = await anAccount();
    const reply = await logIn(call, ann);
    const cookie = cookieOf(reply);
    const ended = await call('DELETE', '/api/sessions/current', { headers: { cookie } });
    expect(ended.status).toBe(204);
    expect(cookieOf(ended)).toBe('session=');
    expect(attributesOf(ended)).toEqual(['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Strict']);
    expect(outcome(await whoIs({ cookie }))).toEqual(refusals.unauthenticated);

    const token = await aSession(call, ann);
    expect((await call('DELETE', '/api/sessions/current', { token })).headers).not.toHaveProperty('set-cookie');
  });

  it('a session in a cookie is marked as the current one in the list of sessions, and keeps its cookie when another one ends', async () => {
    const ann = await anAccount();
    const [first, second] = [await logIn(call, ann), await logIn(call, ann)];
    type Listed = { _id: { $oid: string }; hint: string; is_current: boolean };
    const list = async (reply: Reply) =>
      (await call('GET', '/api/sessions', { headers: { cookie: cookieOf(reply) } })).body as Listed[];
    const current = async (reply: Reply) => (await list(reply)).filter(({ is_current }) => is_current).map(({ hint }) => hint);
    expect(await current(first)).toEqual([cookieOf(first).slice(-4)]);
    expect(await current(second)).toEqual([cookieOf(second).slice(-4)]);

    const other = (await list(first)).find(({ is_current }) => !is_current)?._id.$oid;
    const ended = await call('DELETE', `/api/sessions/${other}`, { headers: { cookie: cookieOf(first) } });
    expect(ended.status).toBe(204);
    expect(ended.headers).not.toHaveProperty('set-cookie');
    expect((await whoIs({ cookie: cookieOf(second) })).status).toBe(401);
    expect((await whoIs({ cookie: cookieOf(first) })).status).toBe(200);
  });

  it.each(['session=', 'session', 'session="x"', 'session={"$gt":""}', `session=${'a'.repeat(32)}`, `session=${'a'.repeat(33)}`])(
    'a session is not found in a cookie such as %s',
    async (cookie) => {
      expect(outcome(await whoIs({ cookie }))).toEqual(refusals.unauthenticated);
    },
  );
});
