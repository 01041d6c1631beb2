import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../lib/database/client.ts';
import { aName, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { anyDate, anyId, anyToken, outcome, withoutUse } from '../support/responses.ts';
import { type Call, transports } from '../support/transports.ts';

const admin = await anAdmin();
const user = await anAccount();
const other = await anAccount();

type NewToken = { _id: { $oid: string }; token: string; name: string };

describe.each(transports())('/api/tokens, %s', (_transport, call) => {
  describe('POST', () => {
    it('POST /api/tokens creates a token that may do all that its user may, and shows it only once', async () => {
      const name = aName();
      const { status, body } = await call('POST', '/api/tokens', {
        token: user.token,
        body: { name, current_password: 'correct horse' },
      });
      expect({ status, body }).toEqual({ status: 201, body: { ...tokenOf(user.id, name), token: anyToken } });
      const { token, _id } = body as NewToken;
      expect(body).toMatchObject({ hint: token.slice(-4) });
      expect((await call('GET', '/api/users/me', { token })).body).toMatchObject({ username: user.username });
      const shown = await call('GET', `/api/tokens/${_id.$oid}`, { token: user.token });
      expect(JSON.stringify(shown.body)).not.toContain(token);
    });

    it.each([
      ['as text', (at: Date) => at.toISOString()],
      ['as text with another time zone', (at: Date) => new Date(at.getTime() + 3_600_000).toISOString().replace('Z', '+01:00')],
      ['as Extended JSON', (at: Date) => ({ $date: at.toISOString() })],
    ])('POST /api/tokens accepts an expiry %s', async (_how, write) => {
      const at = new Date(Date.now() + 3_600_000);
      const created = await call('POST', '/api/tokens', {
        token: user.token,
        body: { name: aName(), scopes: ['rooms:read'], expires_at: write(at) },
      });
      expect(outcome(created)).toMatchObject({ status: 201, body: { expires_at: { $date: at.toISOString() } } });
    });

    it('POST /api/tokens creates a token that is also taken as a bearer token, unless X-Auth-Token has another', async () => {
      const [ann, bob] = [await anAccount(), await anAccount()];
      const authorization = `bearer  ${ann.token}`;
      const mine = await call('GET', '/api/users/me', { headers: { authorization } });
      expect(mine).toMatchObject({ status: 200, body: { username: ann.username } });
      const his = await call('GET', '/api/users/me', { token: bob.token, headers: { authorization } });
      expect(his).toMatchObject({ status: 200, body: { username: bob.username } });
    });

    it('POST /api/tokens restricts a token to scopes', async () => {
      const { token } = await aToken(call, admin.token, { scopes: ['rooms:read', 'admin'] });
      expect((await call('GET', '/api/rooms', { token })).status).toBe(200);
      expect(outcome(await call('POST', '/api/members', { token, body: {} }))).toEqual(
        refusals.denied("The token lacks the 'members:write' scope."),
      );
      expect((await call('POST', '/api/rooms', { token, body: { name: 'General' } })).status).toBe(403);
      expect(outcome(await call('POST', '/api/tokens', { token, body: { name: aName() } }))).toEqual(
        refusals.denied('A token without scopes is required.'),
      );
    });

    it('POST /api/tokens creates a token for another user if the caller is an administrator', async () => {
      const { token } = await aToken(call, admin.token, { user: { $oid: user.id } });
      expect((await call('GET', '/api/users/me', { token })).body).toMatchObject({ username: user.username });
      const body = { name: aName(), user: user.id, current_password: 'correct horse' };
      expect(outcome(await call('POST', '/api/tokens', { token: other.token, body }))).toEqual(refusals.denied());
      expect((await call('POST', '/api/tokens', { token: user.token, body })).status).toBe(201);
    });

    it('POST /api/tokens creates one token of each name for 20 concurrent requests', async () => {
      // This scope needs no password, and checks of passwords limit concurrent requests.
      const create = (token: string, name: string) =>
        call('POST', '/api/tokens', { token, body: { name, scopes: ['rooms:read'] } });
      for (const name of Array.from({ length: 5 }, aName)) {
        const replies = await Promise.all(Array.from({ length: 20 }, () => create(user.token, name)));
        expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
        expect(replies.filter(({ status }) => status !== 201).map(outcome)).toEqual(
          Array(19).fill(
            refusals.conflict('The account has a token of this name already: revoke that one, or choose another name.'),
          ),
        );
        expect((await create(other.token, name)).status).toBe(201);
      }
    });

    it('POST /api/tokens accepts the name of a token that has expired', async () => {
      const name = aName();
      const { _id } = await aToken(call, user.token, { name });
      const expire = { $set: { expires_at: new Date(Date.now() - 1_000) } };
      await database.collection('tokens').updateOne({ _id: new ObjectId(_id.$oid) }, expire);
      await aToken(call, user.token, { name });
    });

    it.each([[[]], [['account']], [['admin']], [['rooms:write', 'messages:read']]])(
      'POST /api/tokens requires the password for a token with the scopes %j, so that none outlasts a stolen session',
      async (scopes) => {
        for (const { token } of [user, admin]) {
          const create = async (body: object) =>
            outcome(await call('POST', '/api/tokens', { token, body: { name: aName(), scopes, ...body } }));
          expect(await create({})).toEqual(refusals.missing('current_password'));
          expect(await create({ current_password: 'a guess' })).toEqual(refusals.denied('The current password is incorrect.'));
          expect(await create({ current_password: 'correct horse' })).toMatchObject({ status: 201, body: { scopes } });
          expect(await create({ scopes: ['rooms:read'] })).toMatchObject({ status: 201, body: { scopes: ['rooms:read'] } });
        }
      },
    );

    const scopeRule =
      'be a list of some of rooms:read, rooms:write, members:read, members:write, messages:read, messages:write, account, admin';
    const timeRule = "be a time such as '2026-11-21T04:04:42.123Z'";
    it.each<[string, Record<string, unknown>, unknown]>([
      ['no name', { name: undefined }, refusals.missing('name')],
      ['a blank name', { name: ' ' }, refusals.invalid('name', 'have 1 to 100 characters and not be blank')],
      ['an unknown scope', { scopes: ['rooms:read', 'everything'] }, refusals.invalid('scopes', scopeRule)],
      ['a scope that is not a list', { scopes: 'rooms:read' }, refusals.invalid('scopes', scopeRule)],
      ['a time in the past', { expires_at: '2020-01-01T00:00:00Z' }, refusals.invalid('expires_at', 'be in the future')],
      ['a time without a zone', { expires_at: '2099-01-01T00:00:00' }, refusals.invalid('expires_at', timeRule)],
      ['an invalid date', { expires_at: '2099-13-01T00:00:00Z' }, refusals.invalid('expires_at', timeRule)],
      ['a number as a time', { expires_at: 4_070_908_800_000 }, refusals.invalid('expires_at', timeRule)],
      ['an unknown user', { user: '0'.repeat(24) }, refusals.noSuch('user')],
      ['a malformed user id', { user: 'ann' }, refusals.invalid('user', 'be an id of 24 hexadecimal characters')],
    ])('POST /api/tokens refuses %s', async (_what, change, refusal) => {
      const body = { name: aName(), scopes: ['rooms:read'], expires_at: '2099-01-01T00:00:00Z' };
      expect(outcome(await call('POST', '/api/tokens', { token: admin.token, body: { ...body, ...change } }))).toEqual(refusal);
      expect((await call('POST', '/api/tokens', { token: admin.token, body })).status).toBe(201);
    });
  });

  it("GET /api/tokens lists the caller's named tokens, page by page, and no sessions", async () => {
    const account = await anAccount();
    const names = [aName(), aName()];
    for (const name of names) await aToken(call, account.token, { name });
    const listed = withoutUse((await call('GET', '/api/tokens', { token: account.token })).body);
    const expected = ['test', ...names].map((name) => withoutUse([tokenOf(account.id, name)])[0]);
    expect(listed).toHaveLength(3);
    expect(listed).toEqual(expect.arrayContaining(expected));
    const first = await call('GET', '/api/tokens?limit=2', { token: account.token });
    const next = first.headers.link?.match(/^<(.+)>; rel="next"$/)?.[1] ?? '';
    const second = await call('GET', next, { token: account.token });
    expect(withoutUse([first.body, second.body].flat())).toEqual(listed);
    expect(second.headers).not.toHaveProperty('link');
  });

  it('GET and DELETE of a token are for its owner and administrators; for others it does not exist', async () => {
    for (const by of [user.token, admin.token]) {
      const { _id, token, name } = await aToken(call, user.token, {});
      const path = `/api/tokens/${_id.$oid}`;
      for (const method of ['GET', 'DELETE']) {
        expect(outcome(await call(method, path, { token: other.token }))).toEqual(refusals.noSuch('token'));
      }
      expect(outcome(await call('GET', path, { token: by }))).toEqual({ status: 200, body: tokenOf(user.id, name) });
      expect(outcome(await call('DELETE', path, { token: by }))).toEqual({ status: 204, body: '' });
      expect(outcome(await call('GET', '/api/users/me', { token }))).toEqual(refusals.unauthenticated);
      expect(outcome(await call('GET', path, { token: by }))).toEqual(refusals.noSuch('token'));
    }
    expect(outcome(await call('GET', '/api/tokens/nonsense', { token: user.token }))).toEqual(refusals.noSuch('token'));
  });

  it('a session is not a named token: it does not exist under /api/tokens', async () => {
    const sessions = await call('POST', '/api/sessions', { body: { username: user.username, password: user.password } });
    const { token } = sessions.body as { token: string };
    const [session] = (await call('GET', '/api/sessions', { token })).body as NewToken[];
    expect((await call('DELETE', `/api/tokens/${session?._id.$oid}`, { token })).status).toBe(404);
    expect((await call('DELETE', '/api/sessions/current', { token })).status).toBe(204);
  });
});

const tokenOf = (user: string, name: string) => ({
  _id: anyId,
  user: { $oid: user },
  name,
  kind: 'api',
  scopes: [],
  hint: expect.stringMatching(/^[a-z0-9]{4}$/),
  created_at: anyDate,
  last_used_at: null,
  expires_at: null,
});

async function aToken(call: Call, token: string, change: Record<string, unknown>): Promise<NewToken> {
  const asked = { name: aName(), current_password: 'correct horse', ...change };
  const { status, body } = await call('POST', '/api/tokens', { token, body: asked });
  expect(status).toBe(201);
  return body as NewToken;
}
