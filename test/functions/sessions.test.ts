import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../lib/database/client.ts';
import { aName, anAccount, anAddress, anAdmin, aSession, asSelf, logIn } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { anyDate, anyId, anyToken, outcome, successHeaders, withoutUse } from '../support/responses.ts';
import { type Call, transports } from '../support/transports.ts';

const admin = await anAdmin();
const other = await anAccount();

type Session = { _id: { $oid: string }; hint: string };

describe.each(transports())('/api/sessions, %s', (_transport, call) => {
  describe('POST logs in', () => {
    it('POST /api/sessions logs in by username, and returns a token that is valid for 30 days', async () => {
      const { id, username, email, password } = await anAccount();
      const { status, headers, body } = await logIn(call, username, password);
      expect({ status, headers, body }).toEqual({
        status: 201,
        headers: expect.objectContaining(successHeaders),
        body: {
          token: anyToken,
          expires_at: anyDate,
          user: asSelf({ id, username, email }),
        },
      });
      const { token, expires_at } = body as { token: string; expires_at: { $date: string } };
      const [session] = (await call('GET', '/api/sessions', { token })).body as { created_at: { $date: string } }[];
      const lifetime = Date.parse(expires_at.$date) - Date.parse(session?.created_at.$date ?? '');
      expect(lifetime).toBe(30 * 24 * 60 * 60 * 1000);
    });

    it('POST /api/sessions logs in by username or e-mail address, in any case', async () => {
      const { username, email, password } = await anAccount();
      for (const name of [username.toUpperCase(), email, email.toUpperCase()]) {
        expect((await logIn(call, name, password)).status).toBe(201);
      }
    });

    it('POST /api/sessions logs in the same user 20 times concurrently', async () => {
      const { username, password } = await anAccount();
      const source = anAddress();
      const replies = await Promise.all(Array.from({ length: 20 }, () => logIn(call, username, password, source)));
      expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(201));
    });

    it('POST /api/sessions gives a wrong password, an unknown name and a deactivated account identical responses', async () => {
      const [known, deactivated] = [await anAccount(), await anAccount()];
      await call('PATCH', `/api/users/${deactivated.id}`, { token: admin.token, body: { is_active: false } });
      const replies = await Promise.all([
        logIn(call, known.username, 'incorrect horse'),
        logIn(call, aName(), known.password),
        logIn(call, `${aName()}@example.org`, known.password),
        logIn(call, deactivated.username, deactivated.password),
        logIn(call, known.username, `${known.password} and more`),
        logIn(call, 'not a name at all', known.password),
      ]);
      const headersOf = ({ headers: { date, 'x-request-id': _id, ...headers } }: (typeof replies)[number]) => headers;
      for (const reply of replies) {
        expect(outcome(reply)).toEqual(refusals.wrongLogin);
        expect(headersOf(reply)).toEqual(headersOf(replies[0] as (typeof replies)[number]));
      }
      expect((await logIn(call, known.username, known.password)).status).toBe(201);
    });

    it.each<[string, unknown, unknown]>([
      ['no name', { password: 'correct horse' }, refusals.missing('username')],
      ['no password', { username: other.username }, refusals.missing('password')],
      [
        'a name that is an operator',
        { username: { $gt: '' }, password: 'x' },
        refusals.invalid('username', 'be a text that is not empty'),
      ],
      [
        'a password that is an operator',
        { username: other.username, password: { $ne: '' } },
        refusals.invalid('password', 'be a text that is not empty'),
      ],
    ])('POST /api/sessions logs in nobody with %s', async (_what, body, refusal) => {
      expect(outcome(await call('POST', '/api/sessions', { body }))).toEqual(refusal);
      expect((await logIn(call, other.username, other.password)).status).toBe(201);
    });
  });

  it('GET /api/sessions cuts a long name of a program without leaving half of an emoji', async () => {
    const account = await anAccount();
    const body = { username: account.username, password: account.password };
    const agent = `${'x'.repeat(249)}😀`;
    const token = await aSession(call, account);
    await call('POST', '/api/sessions', { body, headers: { 'user-agent': agent } });
    const listed = (await call('GET', '/api/sessions', { token })).body as { name: string }[];
    expect(listed.map(({ name }) => name).sort()).toEqual(['session', 'x'.repeat(249)]);
  });

  it('GET /api/sessions lists the sessions, each with the program that started it, and no named tokens', async () => {
    const account = await anAccount();
    const body = { username: account.username, password: account.password };
    const token = await aSession(call, account);
    await call('POST', '/api/sessions', { body, headers: { 'user-agent': 'Example/1.0' } });
    const listed = await call('GET', '/api/sessions', { token });
    expect(withoutUse(listed.body).sort(byName)).toEqual([
      { ...aSessionOf(account.id), name: 'Example/1.0' },
      { ...aSessionOf(account.id), name: 'session', hint: token.slice(-4), is_current: true },
    ]);
    const page = await call('GET', '/api/sessions?limit=1', { token });
    expect(page.body).toHaveLength(1);
    expect(page.headers.link).toMatch(/^<\/api\/sessions\?limit=1&after=[0-9a-f]{24}>; rel="next"$/);
  });

  it('DELETE /api/sessions ends every session except the caller’s', async () => {
    const account = await anAccount();
    const [mine, ...others] = [await aSession(call, account), await aSession(call, account), await aSession(call, account)];
    expect(outcome(await call('DELETE', '/api/sessions', { token: mine }))).toEqual({ status: 204, body: '' });
    expect(await statuses(call, [mine, ...others, account.token])).toEqual([200, 401, 401, 200]);
  });

  it('GET and DELETE /api/sessions with a `user` are for administrators, and leave named tokens', async () => {
    const account = await anAccount();
    const sessions = [await aSession(call, account), await aSession(call, account)];
    const address = `/api/sessions?user=${account.id}`;
    const listed = await call('GET', address, { token: admin.token });
    expect(withoutUse(listed.body)).toEqual([
      { ...aSessionOf(account.id), name: 'session' },
      { ...aSessionOf(account.id), name: 'session' },
    ]);
    for (const method of ['GET', 'DELETE']) {
      expect(outcome(await call(method, address, { token: other.token }))).toEqual(refusals.denied());
      const unknown = `/api/sessions?user=${new ObjectId().toHexString()}`;
      expect(outcome(await call(method, unknown, { token: admin.token }))).toEqual(refusals.noSuch('user'));
    }
    expect(await statuses(call, sessions)).toEqual([200, 200]);
    expect(outcome(await call('DELETE', address, { token: admin.token }))).toEqual({ status: 204, body: '' });
    expect(await statuses(call, [...sessions, account.token])).toEqual([401, 401, 200]);
  });

  it('DELETE /api/sessions of an invalid user id ends nothing', async () => {
    const account = await anAccount();
    const session = await aSession(call, account);
    const refused = await call('DELETE', '/api/sessions?user=ann', { token: admin.token });
    expect(outcome(refused)).toEqual(refusals.invalid('user', 'be an id of 24 hexadecimal characters'));
    expect((await call('GET', '/api/users/me', { token: session })).status).toBe(200);
  });

  it('DELETE /api/sessions with the caller’s own id leaves the session that calls', async () => {
    const account = await anAccount();
    const [mine, another] = [await aSession(call, account), await aSession(call, account)];
    expect((await call('DELETE', `/api/sessions?user=${account.id}`, { token: mine })).status).toBe(204);
    expect(await statuses(call, [mine, another])).toEqual([200, 401]);
  });

  it('DELETE /api/sessions/current logs out immediately', async () => {
    const account = await anAccount();
    const [token, another] = [await aSession(call, account), await aSession(call, account)];
    expect(outcome(await call('DELETE', '/api/sessions/current', { token }))).toEqual({ status: 204, body: '' });
    expect(await statuses(call, [token, another])).toEqual([401, 200]);
    // A named token is not a session, so it is not the current one either.
    expect(outcome(await call('DELETE', '/api/sessions/current', { token: account.token }))).toEqual(refusals.noSuch('session'));
  });

  it('DELETE of a session is for its owner and administrators; for others it does not exist', async () => {
    const account = await anAccount();
    const token = await aSession(call, account);
    const end = async (id: string, by: string) => outcome(await call('DELETE', `/api/sessions/${id}`, { token: by }));
    for (const by of [token, admin.token]) {
      const ended = await aSession(call, account);
      const sessions = (await call('GET', '/api/sessions', { token })).body as Session[];
      const id = sessions.find(({ hint }) => hint === ended.slice(-4))?._id.$oid ?? '';
      expect(await end(id, other.token)).toEqual(refusals.noSuch('session'));
      expect(await statuses(call, [ended])).toEqual([200]);
      expect(await end(id, by)).toEqual({ status: 204, body: '' });
      expect(await statuses(call, [ended])).toEqual([401]);
      expect(await end(id, by)).toEqual(refusals.noSuch('session'));
    }
    expect(await end('nonsense', token)).toEqual(refusals.noSuch('session'));
  });

  it('a session ends when it expires, even before it is deleted', async () => {
    const account = await anAccount();
    const token = await aSession(call, account);
    const change = { $set: { expires_at: new Date(Date.now() - 1_000) } };
    await database.collection('tokens').updateOne({ hint: token.slice(-4), kind: 'session', name: 'session' }, change);
    expect(outcome(await call('GET', '/api/users/me', { token }))).toEqual(refusals.unauthenticated);
    expect((await call('GET', '/api/sessions', { token: account.token })).body).toEqual([]);
  });
});

const aSessionOf = (user: string) => ({
  _id: anyId,
  user: { $oid: user },
  name: expect.any(String),
  kind: 'session',
  scopes: [],
  hint: expect.any(String),
  created_at: anyDate,
  expires_at: anyDate,
  is_current: false,
});

const byName = (one: { name?: string }, other: { name?: string }) => String(one.name).localeCompare(String(other.name));

const statuses = async (call: Call, tokens: (string | undefined)[]) =>
  Promise.all(tokens.map(async (token) => (await call('GET', '/api/users/me', { token })).status));
