import { describe, expect, it } from 'vitest';
import { type Account, aName, anAccount, anAddress, anAdmin, aSession, asSelf, logIn } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { anyId, outcome, successHeaders } from '../support/responses.ts';
import { type Call, transports } from '../support/transports.ts';

const admin = await anAdmin();
const otherAdmin = await anAdmin();
const other = await anAccount();
const nobody = '0'.repeat(24);

describe.each(transports())('/api/users/{user}, %s', (_transport, call) => {
  describe('GET', () => {
    it('GET of a user shows the caller in full, by id and as me', async () => {
      const { id, username, email, token } = await anAccount();
      for (const path of [`/api/users/${id}`, `/api/users/${id.toUpperCase()}`, '/api/users/me']) {
        const { status, headers, body } = await call('GET', path, { token });
        expect({ status, headers, body }).toEqual({
          status: 200,
          headers: expect.objectContaining(successHeaders),
          body: asSelf({ id, username, email }),
        });
      }
    });

    it('GET of a user shows anyone in full to administrators, and only id and username to others', async () => {
      const { id, username, email } = await anAccount();
      expect((await call('GET', `/api/users/${id}`, { token: admin.token })).body).toMatchObject({ username, email });
      expect((await call('GET', `/api/users/${id}`, { token: other.token })).body).toEqual({ _id: { $oid: id }, username });
    });

    it.each(['ann', nobody])('GET of a user answers 404 for %s', async (id) => {
      expect(outcome(await call('GET', `/api/users/${id}`, { token: other.token }))).toEqual(refusals.noSuch('user'));
    });
  });

  describe('PATCH', () => {
    it("PATCH of a user changes the caller's address, which then works for logins in upper and lower case", async () => {
      const { username, password, token } = await anAccount();
      const email = `New.${username}@Example.org`;
      const body = { email, current_password: password };
      expect(await call('PATCH', '/api/users/me', { token, body })).toMatchObject({ status: 200, body: { email } });
      expect((await logIn(call, email.toUpperCase(), password)).status).toBe(201);
    });

    it("PATCH of a user changes the caller's password, which ends every other session and named token", async () => {
      const account = await anAccount();
      const [mine, another] = [await aSession(call, account), await aSession(call, account)];
      const body = { password: 'battery staple', current_password: account.password };
      expect((await call('PATCH', '/api/users/me', { token: mine, body })).status).toBe(200);
      expect(await statuses(call, [mine, another, account.token])).toEqual([200, 401, 401]);
      expect((await call('GET', '/api/sessions', { token: mine })).body).toHaveLength(1);
      expect(outcome(await logIn(call, account.username, account.password))).toEqual(refusals.wrongLogin);
      expect((await logIn(call, account.username, 'battery staple')).status).toBe(201);
    });

    it('PATCH of a user keeps the named tokens on request', async () => {
      const account = await anAccount();
      const session = await aSession(call, account);
      const body = { password: 'battery staple', current_password: account.password, keep_tokens: true };
      expect((await call('PATCH', '/api/users/me', { token: account.token, body })).status).toBe(200);
      expect(await statuses(call, [session, account.token])).toEqual([401, 200]);
      const alone = { keep_tokens: true, email: account.email, current_password: 'battery staple' };
      expect(outcome(await call('PATCH', '/api/users/me', { token: account.token, body: alone }))).toEqual(
        refusals.invalid('keep_tokens', "come with 'password'"),
      );
    });

    it('PATCH of a user lets an administrator set a password, which ends every session', async () => {
      const account = await anAccount();
      const session = await aSession(call, account);
      const { status } = await call('PATCH', `/api/users/${account.id}`, {
        token: admin.token,
        body: { password: 'battery staple' },
      });
      expect(status).toBe(200);
      expect(await statuses(call, [session])).toEqual([401]);
      expect((await logIn(call, account.username, 'battery staple')).status).toBe(201);
    });

    it('PATCH of a user lets an administrator deactivate an account: its tokens do not work until it is active again, and its sessions end', async () => {
      const account = await anAccount();
      const session = await aSession(call, account);
      const path = `/api/users/${account.id}`;
      expect(await call('PATCH', path, { token: admin.token, body: { is_active: false } })).toMatchObject({
        status: 200,
        body: { is_active: false },
      });
      expect(await statuses(call, [session, account.token])).toEqual([401, 401]);
      expect(outcome(await logIn(call, account.username, account.password))).toEqual(refusals.wrongLogin);

      expect((await call('PATCH', path, { token: admin.token, body: { is_active: true } })).status).toBe(200);
      expect(await statuses(call, [session, account.token])).toEqual([401, 200]);
      expect((await logIn(call, account.username, account.password)).status).toBe(201);
    });

    it('PATCH of a user lets an administrator promote and demote, effective from the next request', async () => {
      const account = await anAccount();
      const change = (is_admin: boolean) => call('PATCH', `/api/users/${account.id}`, { token: admin.token, body: { is_admin } });
      const list = async () => (await call('GET', '/api/users?limit=1', { token: account.token })).status;
      expect(await list()).toBe(403);
      expect(await change(true)).toMatchObject({ status: 200, body: { is_admin: true } });
      expect(await list()).toBe(200);
      expect(await change(false)).toMatchObject({ status: 200, body: { is_admin: false } });
      expect(await list()).toBe(403);
    });

    it.each<[string, Record<string, unknown>, unknown]>([
      [
        'nothing to change',
        {},
        {
          status: 400,
          body: {
            title: 'Missing parameter',
            description:
              "At least one of the parameters 'name', 'status', 'email', 'password', 'is_admin', 'is_active' is required.",
            code: 'missing_parameter',
          },
        },
      ],
      ['a password without the current one', { password: 'battery staple' }, refusals.missing('current_password')],
      ['an address without the current password', { email: 'ann@example.org' }, refusals.missing('current_password')],
      [
        'a password with a wrong current one',
        { password: 'battery staple', current_password: 'incorrect horse' },
        refusals.denied('The current password is incorrect.'),
      ],
      [
        'a common password',
        { password: 'iloveyou', current_password: 'correct horse' },
        refusals.invalid(
          'password',
          'have at least 8 characters and at most 72 bytes, and not be one of the most common passwords',
        ),
      ],
      ['an invalid address', { email: 'ann' }, refusals.invalid('email', 'be an e-mail address')],
      [
        'an address that is taken',
        { email: other.email, current_password: 'correct horse' },
        refusals.conflict('The e-mail address is already in use.'),
      ],
      ['a change of is_admin', { is_admin: true }, refusals.denied()],
      ['a change of is_active', { is_active: true }, refusals.denied()],
    ])('PATCH of a user refuses %s', async (_what, body, refusal) => {
      const { token, username } = await anAccount();
      const source = anAddress();
      expect(outcome(await call('PATCH', '/api/users/me', { token, body, source }))).toEqual(refusal);
      const allowed = { email: `${username}@example.com`, password: 'battery staple', current_password: 'correct horse' };
      expect((await call('PATCH', '/api/users/me', { token, body: allowed, source })).status).toBe(200);
    });

    it('PATCH of a user requires the current password for a new one from administrators, too', async () => {
      const account = await anAdmin();
      const path = `/api/users/${account.id}`;
      const sent = { token: account.token, source: anAddress() };
      expect(outcome(await call('PATCH', path, { ...sent, body: { password: 'battery staple' } }))).toEqual(
        refusals.missing('current_password'),
      );
      const body = { password: 'battery staple', current_password: account.password };
      expect((await call('PATCH', path, { ...sent, body })).status).toBe(200);
    });

    it('PATCH of a user is refused to others before their body is checked; administrators get 404 for an unknown user', async () => {
      const { id } = await anAccount();
      const sent = { token: other.token, body: '{"email":' };
      expect(outcome(await call('PATCH', `/api/users/${id}`, sent))).toEqual(refusals.denied());
      const body = { is_active: true };
      for (const path of ['/api/users/ann', `/api/users/${nobody}`]) {
        expect(outcome(await call('PATCH', path, { token: admin.token, body }))).toEqual(refusals.noSuch('user'));
      }
      expect((await call('PATCH', `/api/users/${id}`, { token: admin.token, body })).status).toBe(200);
    });

    it('PATCH of a user lets a token with scopes change what they allow, but never gain permissions', async () => {
      const { id } = await anAccount();
      const account = await aScopedToken(call, admin, ['account']);
      const both = await aScopedToken(call, admin, ['account', 'admin']);
      const change = async (token: string, body: unknown) => outcome(await call('PATCH', `/api/users/${id}`, { token, body }));
      expect(await change(account, { is_active: true })).toEqual(refusals.denied());
      expect(await change(both, { is_active: true })).toMatchObject({ status: 200 });
      for (const body of [{ is_admin: true }, { password: 'battery staple' }, { email: `${aName()}@example.org` }]) {
        expect(await change(both, body)).toEqual(refusals.denied('A token without scopes is required.'));
        expect(await change(otherAdmin.token, body)).toMatchObject({ status: 200 });
      }
    });
  });

  describe('DELETE', () => {
    it('DELETE of a user deletes an account for an administrator, immediately, with its tokens and memberships, and frees its name', async () => {
      const account = await anAccount();
      const session = await aSession(call, account);
      const room = await aRoomWith(call, account.id);
      const { status, body } = await call('DELETE', `/api/users/${account.id}`, { token: admin.token });
      expect({ status, body }).toEqual({ status: 204, body: '' });

      expect(await statuses(call, [session, account.token])).toEqual([401, 401]);
      expect(outcome(await logIn(call, account.username, account.password))).toEqual(refusals.wrongLogin);
      for (const method of ['GET', 'DELETE']) {
        expect(outcome(await call(method, `/api/users/${account.id}`, { token: admin.token }))).toEqual(refusals.noSuch('user'));
      }
      expect((await call('GET', `/api/users?q=${account.username}`, { token: admin.token })).body).toEqual([]);
      const rooms = (await call('GET', '/api/rooms', { token: admin.token })).body as { _id: unknown; members: unknown[] }[];
      expect(rooms.find(({ _id }) => JSON.stringify(_id) === JSON.stringify(room))?.members).toEqual([]);

      const again = { username: account.username, email: account.email, password: 'battery staple' };
      expect(await call('POST', '/api/users', { body: again })).toMatchObject({
        status: 201,
        body: { user: { _id: anyId, username: account.username } },
      });
    });

    it("DELETE of a user deletes the caller's own account, with its password", async () => {
      const { password, token } = await anAccount();
      const leave = async (body?: unknown) =>
        outcome(await call('DELETE', '/api/users/me', { token, body, source: anAddress() }));
      expect(await leave()).toEqual(refusals.denied('The current password is required.'));
      expect(await leave({ current_password: 'incorrect horse' })).toEqual(refusals.denied('The current password is incorrect.'));
      expect((await call('GET', '/api/users/me', { token })).status).toBe(200);
      expect(await leave({ current_password: password })).toEqual({ status: 204, body: '' });
      expect((await call('GET', '/api/users/me', { token })).status).toBe(401);
    });

    it("DELETE of a user can't be used to guess a password", async () => {
      const { token } = await anAccount();
      const source = anAddress();
      const guess = () => call('DELETE', '/api/users/me', { token, body: { current_password: 'incorrect horse' }, source });
      const statuses: number[] = [];
      for (let guesses = 0; guesses < 6; guesses++) statuses.push((await guess()).status);
      expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    });

    it('DELETE of a user is refused to others, even with their own password', async () => {
      const { id, token } = await anAccount();
      const body = { current_password: other.password };
      expect(outcome(await call('DELETE', `/api/users/${id}`, { token: other.token, body }))).toEqual(refusals.denied());
      expect((await call('GET', '/api/users/me', { token })).status).toBe(200);
    });
  });
});

const statuses = async (call: Call, tokens: string[]) =>
  Promise.all(tokens.map(async (token) => (await call('GET', '/api/users/me', { token })).status));

async function aScopedToken(call: Call, { token, password }: Account, scopes: string[]): Promise<string> {
  const { body } = await call('POST', '/api/tokens', { token, body: { name: aName(), scopes, current_password: password } });
  return (body as { token: string }).token;
}

/** A room whose only member is the user, who is an administrator while creating it. */
async function aRoomWith(call: Call, id: string): Promise<unknown> {
  const setAdmin = (is_admin: boolean) => call('PATCH', `/api/users/${id}`, { token: admin.token, body: { is_admin } });
  await setAdmin(true);
  const asked = { name: aName(), user: id, current_password: admin.password };
  const created = await call('POST', '/api/tokens', { token: admin.token, body: asked });
  const { body } = await call('POST', '/api/rooms', { token: (created.body as { token: string }).token, body: { name: 'Left' } });
  await setAdmin(false);
  return (body as { _id: unknown })._id;
}
