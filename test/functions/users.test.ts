import { describe, expect, it } from 'vitest';
import { aName, anAccount, anAdmin, logIn } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { anyDate, anyId, anyToken, outcome, successHeaders } from '../support/responses.ts';
import { type Call, type Reply, transports } from '../support/transports.ts';

const admin = await anAdmin();
const user = await anAccount();

type ShownUser = { _id: { $oid: string }; username: string };

describe.each(transports())('/api/users, %s', (_transport, call) => {
  describe('POST signs up', () => {
    it('POST /api/users signs up anyone, and returns the account and the token of its first session', async () => {
      const username = aName();
      const sent = { username, email: `${username}@example.org`, password: 'correct horse' };
      const { status, headers, body } = await call('POST', '/api/users', { body: sent });
      expect({ status, headers, body }).toEqual({
        status: 201,
        headers: expect.objectContaining(successHeaders),
        body: {
          user: {
            _id: anyId,
            username,
            email: sent.email,
            is_admin: false,
            is_active: true,
            created_at: anyDate,
            shows_presence: true,
          },
          token: anyToken,
        },
      });
      const { token, user: created } = body as { token: string; user: ShownUser };
      expect((await call('GET', '/api/users/me', { token })).body).toEqual(created);
      expect((await call('GET', '/api/sessions', { token })).body).toMatchObject([{ kind: 'session', hint: token.slice(-4) }]);
    });

    it.each<[string, { username?: (name: string) => string; password?: string }]>([
      ['a name in capitals, which it converts to lower case', { username: (name: string) => name.toUpperCase() }],
      ['a password of 8 characters', { password: 'zebra-42' }],
      ['a password of 72 bytes', { password: 'é'.repeat(36) }],
      ['a password of 64 letters, with spaces and emoji', { password: `${'long and '.repeat(6)}even 🦉🦉` }],
    ])('POST /api/users signs up with %s', async (_what, { username = (name: string) => name, password = 'correct horse' }) => {
      const name = aName();
      const body = { username: username(name), email: `${name}@example.org`, password };
      expect(await call('POST', '/api/users', { body })).toMatchObject({ status: 201, body: { user: { username: name } } });
      expect((await logIn(call, name, password)).status).toBe(201);
    });

    it('POST /api/users signs up with an e-mail address that is kept as typed', async () => {
      const name = aName();
      const email = `${name.toUpperCase()}@Example.ORG`;
      const sent = { username: name, email, password: 'correct horse' };
      expect((await call('POST', '/api/users', { body: sent })).body).toMatchObject({ user: { email, is_active: true } });
      expect((await logIn(call, email.toLowerCase(), 'correct horse')).status).toBe(201);
    });

    it.each(['is_active', '_id', 'session_generation'])('POST /api/users refuses the field %s from any caller', async (field) => {
      expect(await call('POST', '/api/users', { body: { ...aPerson(), [field]: true } })).toMatchObject({
        status: 400,
        body: { description: `Unknown parameter '${field}'.`, code: 'unknown_parameter' },
      });
    });

    it('POST /api/users signs up administrators, if the caller is an administrator', async () => {
      const body = { ...aPerson(), is_admin: true };
      expect(await call('POST', '/api/users', { token: admin.token, body })).toMatchObject({
        status: 201,
        body: { user: { is_admin: true } },
      });
    });

    it('POST /api/users signs up only one of 50 concurrent requests for the same name', async () => {
      const username = aName();
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          call('POST', '/api/users', { body: { ...aPerson(), username: index % 2 ? username : username.toUpperCase() } }),
        ),
      );
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(replies.filter(({ status }) => status !== 201).map(outcome)).toEqual(
        Array(49).fill(refusals.conflict('The username is already in use.')),
      );
    });

    it.each([
      'admin',
      'Administrator',
      'root',
      'system',
      'support',
      'moderator',
      'here',
      'all',
      'everyone',
      'me',
      'deleted',
      'no.reply',
    ])('POST /api/users signs up nobody with the reserved name %s, which only administrators give', async (username) => {
      const body = { ...aPerson(), username };
      for (const token of [undefined, user.token]) {
        expect(outcome(await call('POST', '/api/users', { token, body }))).toEqual(
          refusals.conflict('The username is reserved.'),
        );
      }
    });

    it('POST /api/users signs up someone with a reserved name, if the caller is an administrator', async () => {
      const body = { ...aPerson(), username: 'support' };
      const { status, body: created } = await call('POST', '/api/users', { token: admin.token, body });
      expect({ status, created }).toMatchObject({ status: 201, created: { user: { username: 'support' } } });
      const { user: support } = created as { user: ShownUser };
      expect((await call('DELETE', `/api/users/${support._id.$oid}`, { token: admin.token })).status).toBe(204);
    });

    const nameRule =
      'be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit, not end in a dot, and not be 24 hexadecimal digits';
    const passwordRule = 'have at least 8 characters and at most 72 bytes, and not be one of the most common passwords';
    it.each<[string, Record<string, unknown>, unknown]>([
      ['a name that is taken', { username: user.username }, refusals.conflict('The username is already in use.')],
      [
        'a name that is taken in lower case',
        { username: user.username.toUpperCase() },
        refusals.conflict('The username is already in use.'),
      ],
      ['an address that is taken', { email: user.email }, refusals.conflict('The e-mail address is already in use.')],
      [
        'an address that is taken in another case',
        { email: user.email.toUpperCase() },
        refusals.conflict('The e-mail address is already in use.'),
      ],
      ['no name', { username: undefined }, refusals.missing('username')],
      ['no address', { email: undefined }, refusals.missing('email')],
      ['no password', { password: undefined }, refusals.missing('password')],
      ['an empty name', { username: '' }, refusals.invalid('username', nameRule)],
      ['a name that begins with a dot', { username: '.ann' }, refusals.invalid('username', nameRule)],
      ['a name of 65 characters', { username: 'a'.repeat(65) }, refusals.invalid('username', nameRule)],
      ['a name with a space', { username: 'ann lee' }, refusals.invalid('username', nameRule)],
      ['a name with a letter that only looks like an a', { username: 'аnn' }, refusals.invalid('username', nameRule)],
      ['a name that is an operator', { username: { $ne: '' } }, refusals.invalid('username', nameRule)],
      ['an address without an @', { email: 'ann' }, refusals.invalid('email', 'be an e-mail address')],
      ['an address that is an operator', { email: { $gt: '' } }, refusals.invalid('email', 'be an e-mail address')],
      ['a password of 7 characters', { password: 'zebra-4' }, refusals.invalid('password', passwordRule)],
      ['a password of 73 bytes', { password: `${'é'.repeat(36)}x` }, refusals.invalid('password', passwordRule)],
      ['one of the most common passwords', { password: 'password1' }, refusals.invalid('password', passwordRule)],
      ['a common one in capitals', { password: 'TRUSTNO1' }, refusals.invalid('password', passwordRule)],
      ['a password that is a list', { password: ['correct horse'] }, refusals.invalid('password', passwordRule)],
      ['a request to be an administrator', { is_admin: true }, refusals.denied()],
      ['an invalid flag', { is_admin: 'yes' }, refusals.invalid('is_admin', 'be true or false')],
    ])('POST /api/users refuses %s', async (_what, change, refusal) => {
      const person = aPerson();
      expect(outcome(await call('POST', '/api/users', { body: { ...person, ...change } }))).toEqual(refusal);
      expect((await call('POST', '/api/users', { body: person })).status).toBe(201);
    });

    it('POST /api/users does not create an administrator for a user or a token with scopes', async () => {
      const body = () => ({ ...aPerson(), is_admin: true });
      expect(outcome(await call('POST', '/api/users', { token: user.token, body: body() }))).toEqual(refusals.denied());
      const created = await call('POST', '/api/tokens', {
        token: admin.token,
        body: { name: aName(), scopes: ['admin'], current_password: admin.password },
      });
      const { token } = created.body as { token: string };
      expect(outcome(await call('POST', '/api/users', { token, body: body() }))).toEqual(
        refusals.denied('A token without scopes is required.'),
      );
      expect((await call('POST', '/api/users', { token: admin.token, body: body() })).status).toBe(201);
    });
  });

  describe('GET', () => {
    it('GET /api/users lists the accounts whose names begin with q, page by page, each once', async () => {
      const start = aName();
      const created = await Promise.all(Array.from({ length: 5 }, (_, index) => signedUp(call, `${start}.${index}`)));
      await signedUp(call, `x${start}`);
      const pages: ShownUser[][] = [];
      let path: string | undefined = `/api/users?limit=2&q=${start.toUpperCase()}`;
      while (path) {
        const { status, headers, body }: Reply = await call('GET', path, { token: admin.token });
        expect(status).toBe(200);
        pages.push(body as ShownUser[]);
        path = headers.link?.match(/^<(.+)>; rel="next"$/)?.[1];
      }
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(pages.flat().sort(byName)).toEqual(created.sort(byName));
    });

    it.each(['.', '.*', '^', '(', '$', '\\', '{"$gt":""}', '[a-z]'])(
      'GET /api/users treats q as text, not as a pattern: %s',
      async (pattern) => {
        const { username } = await signedUp(call, aName());
        const asked = `/api/users?limit=200&q=${encodeURIComponent(username.slice(0, -1) + pattern)}`;
        expect(outcome(await call('GET', asked, { token: admin.token }))).toEqual({ status: 200, body: [] });
        const found = await call('GET', `/api/users?q=${username.slice(0, -1)}`, { token: admin.token });
        expect(found.body).toMatchObject([{ username }]);
      },
    );

    it('GET /api/users lists 50 accounts by default, with a link to the next page', async () => {
      await Promise.all(Array.from({ length: 51 }, (_, index) => signedUp(call, `${aName()}.${index}`)));
      const { headers, body } = await call('GET', '/api/users', { token: admin.token });
      expect(body).toHaveLength(50);
      expect(headers.link).toMatch(/^<\/api\/users\?after=[0-9a-f]{24}>; rel="next"$/);
    });

    it.each([
      ['limit=0', refusals.invalid('limit', 'be from 1 to 200')],
      ['limit=201', refusals.invalid('limit', 'be from 1 to 200')],
      ['after=ann', refusals.invalid('after', 'be an id of 24 hexadecimal characters')],
      [`q=${'a'.repeat(65)}`, refusals.invalid('q', 'be a text of at most 64 characters')],
    ])('GET /api/users refuses %s', async (query, refusal) => {
      expect(outcome(await call('GET', `/api/users?${query}`, { token: admin.token }))).toEqual(refusal);
    });

    it('GET /api/users is for administrators', async () => {
      expect(outcome(await call('GET', '/api/users', { token: user.token }))).toEqual(refusals.denied());
      expect((await call('GET', '/api/users', { token: admin.token })).status).toBe(200);
    });
  });
});

const byName = (one: ShownUser, other: ShownUser) => one.username.localeCompare(other.username);

function aPerson() {
  const username = aName();
  return { username, email: `${username}@example.org`, password: 'correct horse' };
}

async function signedUp(call: Call, username: string): Promise<ShownUser> {
  const { status, body } = await call('POST', '/api/users', { body: { ...aPerson(), username } });
  expect(status).toBe(201);
  return (body as { user: ShownUser }).user;
}
