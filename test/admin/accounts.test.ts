import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rateLimits } from '../../lib/collections/accounts/rate-limits.ts';
import { tokens } from '../../lib/collections/accounts/tokens.ts';
import { anAccount, anAdmin, aSession } from '../support/accounts.ts';
import { anyDate, anyId, anyToken } from '../support/responses.ts';
import { admin } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

const ended = (stdout: string) => ({ code: 0, stdout: `${stdout}\n`, stderr: '' });
const statusOf = async (token: string) => (await call('GET', '/api/users/me', { token })).status;
const json = async (...words: string[]) => JSON.parse((await admin([...words, '--json'])).stdout);

describe('user', () => {
  it('user list prints every account as a line, or with --json as the API does', async () => {
    const { id, username, email } = await anAccount({ isAdmin: true, name: 'Ann Example' });
    const { code, stdout } = await admin(['user', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^USERNAME +NAME +EMAIL +ADMIN +ACTIVE +CREATED\n/);
    expect(stdout).toMatch(new RegExp(`^${username} +Ann Example +${email} +yes +yes +\\d{4}-\\d\\d-\\d\\dT\\S+Z$`, 'm'));
    expect(await json('user', 'list')).toContainEqual({
      _id: { $oid: id },
      username,
      name: 'Ann Example',
      email,
      is_admin: true,
      is_active: true,
      created_at: anyDate,
      shows_presence: true,
    });
  });

  it('user unlimit resets the counted attempts of an account', async () => {
    const { id, username } = await anAccount();
    await rateLimits.insertOne({
      _id: id,
      free_at: new Date(),
      checked_at: new Date(),
      is_granted: true,
      expires_at: new Date(),
    });
    expect(await admin(['user', 'unlimit', username])).toEqual(ended(`Reset the rate limits of ${username}.`));
    expect(await rateLimits.findOne({ _id: id })).toBeNull();
  });

  it('user show prints one account', async () => {
    const { id, username, email } = await anAccount({ name: 'Ann Example' });
    const { stdout } = await admin(['user', 'show', username]);
    expect(stdout).toMatch(
      new RegExp(
        `^id: ${id}\nusername: ${username}\nname: Ann Example\nemail: ${email}\nadmin: no\nactive: yes\ncreated: \\S+\n$`,
      ),
    );
    expect(await json('user', 'show', username.toUpperCase())).toMatchObject({ _id: { $oid: id }, email });
  });

  it('user promote and user demote change the rights of an account', async () => {
    const { username, token } = await anAccount();
    const mayList = async () => (await call('GET', '/api/users?limit=1', { token })).status === 200;
    await anAdmin();
    expect(await admin(['user', 'promote', username])).toEqual(ended(`${username} is an administrator now.`));
    expect(await mayList()).toBe(true);
    expect(await admin(['user', 'demote', username])).toEqual(ended(`${username} is not an administrator now.`));
    expect(await mayList()).toBe(false);
  });

  it('user deactivate blocks an account and ends its sessions, user activate admits it again', async () => {
    const account = await anAccount();
    const { username, token } = account;
    const session = await aSession(call, account);
    expect(await admin(['user', 'deactivate', username])).toEqual(ended(`${username} is not active now.`));
    expect([await statusOf(token), await statusOf(session)]).toEqual([401, 401]);
    expect(await admin(['user', 'activate', username])).toEqual(ended(`${username} is active now.`));
    expect([await statusOf(token), await statusOf(session)]).toEqual([200, 401]);
  });

  it('user password ends the sessions and the named tokens', async () => {
    const account = await anAccount();
    const session = await aSession(call, account);
    expect((await admin(['user', 'password', account.username, '--password-stdin'], 'simsalabim\n')).code).toBe(0);
    expect([await statusOf(account.token), await statusOf(session)]).toEqual([401, 401]);
  });

  it('user password with --keep-tokens ends the sessions alone', async () => {
    const account = await anAccount();
    const session = await aSession(call, account);
    const words = ['user', 'password', account.username, '--keep-tokens', '--password-stdin'];
    expect((await admin(words, 'simsalabim\n')).code).toBe(0);
    expect([await statusOf(account.token), await statusOf(session)]).toEqual([200, 401]);
  });

  it('user delete needs --yes when nobody can be asked', async () => {
    const { username, token } = await anAccount();
    expect(await admin(['user', 'delete', username])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'This cannot be undone: pass --yes to run it without a question.\n',
    });
    expect(await statusOf(token)).toBe(200);
    expect(await admin(['user', 'delete', username, '--yes'])).toEqual(ended(`Deleted ${username}.`));
    expect(await statusOf(token)).toBe(401);
  });

  it.each(['show', 'promote', 'demote', 'deactivate', 'activate', 'disconnect', 'delete'])(
    'user %s reports an unknown account',
    async (word) => {
      expect(await admin(['user', word, 'nobody-at-all'])).toEqual({ code: 1, stdout: '', stderr: 'No such user.\n' });
    },
  );
});

describe('every command', () => {
  it('every command is recorded with the user who ran it, in a file that only its owner can read', async () => {
    const { username } = await anAccount();
    await admin(['user', 'promote', username]);
    await admin(['user', 'demote', `${username}x`]);
    const file = process.env.AUDIT_LOG ?? '';
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const notes = lines
      .map((line) => JSON.parse(line))
      .filter(({ words }) => words.some((word: string) => word.startsWith(username)));
    const common = { time: expect.any(String), by: userInfo().username };
    expect(notes).toEqual([
      { ...common, command: 'user promote', words: [username], outcome: 'done' },
      { ...common, command: 'user demote', words: [`${username}x`], outcome: 'failed' },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('token', () => {
  it('token create sets scopes and an expiry, and with --json prints the whole token', async () => {
    const { id, username } = await anAdmin();
    const words = [
      'token',
      'create',
      username,
      '--name',
      'robot',
      '--scope',
      'rooms:read',
      '--scope',
      'admin',
      '--expires',
      '90d',
    ];
    const created = await json(...words);
    expect(created).toEqual({
      _id: anyId,
      user: { $oid: id },
      name: 'robot',
      kind: 'api',
      scopes: ['rooms:read', 'admin'],
      hint: created.token.slice(-4),
      created_at: anyDate,
      last_used_at: null,
      expires_at: anyDate,
      token: anyToken,
    });
    const days = (Date.parse(created.expires_at.$date) - Date.parse(created.created_at.$date)) / 86_400_000;
    expect(days).toBeCloseTo(90, 1);
    expect((await call('GET', '/api/rooms?limit=1', { token: created.token })).status).toBe(200);
    expect((await call('POST', '/api/rooms', { token: created.token, body: { name: 'General' } })).status).toBe(403);
  });

  it('token list shows a program that calls itself by control characters without them', async () => {
    const { username, password } = await anAccount();
    const headers = { 'user-agent': ' \u202ered \u009b31m\u0090\u0007 fox\u2069 ' };
    expect((await call('POST', '/api/sessions', { headers, body: { username, password } })).status).toBe(201);
    expect(await json('session', 'list', username)).toEqual([expect.objectContaining({ name: 'red  fox' })]);
  });

  it('the commands print no control characters to a terminal, and print stored values unchanged to programs', async () => {
    const account = await anAccount();
    const { username, id } = account;
    await aSession(call, account);
    const name = 'a\u009b31m\u001b[2J\u007f\u202eb\u2066\u061cc\u2028d\te\nf';
    await tokens.updateOne({ user: new ObjectId(id), kind: 'session' }, { $set: { name } });
    const [session]: { name: string; _id: { $oid: string } }[] = await json('session', 'list', username);
    expect(session?.name).toBe(name);
    const raw = /[^\P{Cc}\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
    for (const words of [
      ['session', 'list', username],
      ['session', 'list', username, '--json'],
      ['token', 'revoke', session?._id.$oid ?? ''],
      ['token', name],
      ['user', 'show', name],
    ]) {
      const { stdout, stderr } = await admin(words);
      expect(`${stdout}${stderr}`).toMatch(/./);
      expect(`${stdout}${stderr}`).not.toMatch(raw);
    }
  });

  it('token list prints tokens and sessions without their secrets, and token revoke ends one', async () => {
    const account = await anAccount();
    const session = await aSession(call, account);
    const { stdout } = await admin(['token', 'list', account.username]);
    expect(stdout).toMatch(/^ID +KIND +NAME +TOKEN +SCOPES +LAST USED +EXPIRES\n/);
    expect(stdout).toMatch(new RegExp(`^[0-9a-f]{24} +api +test +\\.\\.\\.${account.token.slice(-4)} +all +never +never$`, 'm'));
    expect(stdout).toMatch(
      new RegExp(`^[0-9a-f]{24} +session +session +\\.\\.\\.${session.slice(-4)} +all +never +\\d{4}-`, 'm'),
    );
    expect(stdout).not.toContain(account.token);

    const listed: { _id: { $oid: string }; kind: string }[] = await json('token', 'list', account.username);
    for (const { _id } of listed) expect((await admin(['token', 'revoke', _id.$oid])).code).toBe(0);
    expect([await statusOf(account.token), await statusOf(session)]).toEqual([401, 401]);
    expect(await admin(['token', 'revoke', listed[0]?._id.$oid ?? ''])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No such token.\n',
    });
  });

  it.each([
    ['an unknown scope', ['--scope', 'everything'], 1, "The 'scope' parameter must be a list of some of rooms:read"],
    ['a malformed expiry', ['--expires', 'tomorrow'], 2, 'The option --expires must be a number of hours, days or weeks'],
  ])('token create refuses %s', async (_what, options, code, sentence) => {
    const { username } = await anAccount();
    const refused = await admin(['token', 'create', username, '--name', 'robot', ...options]);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(sentence);
  });
});
