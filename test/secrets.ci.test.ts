import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aName, anAdmin } from './support/accounts.ts';
import { anApp, aWrongCode, codeOf } from './support/second-factor.ts';
import { aService } from './support/services.ts';
import { overHttp, type SentRequest } from './support/transports.ts';
import { dataDir } from './support/worker.ts';

// A separate service that logs at every level.
const service = await aService({ LOG_LEVEL: 'debug' });
afterAll(() => service.stop());

const secrets: string[] = [];
const answers: string[] = [];

const keepSecret = (secret: string) => {
  secrets.push(secret);
  return secret;
};

/**
 * Calls the service. Keeps each token of the response as a secret, and removes it from the
 * response, if it is meant to be there. Does the same for an address with a token.
 */
async function call(method: string, path: string, sent: SentRequest = {}): Promise<Record<string, unknown>> {
  const { headers, body } = await overHttp(service.url)(method, path, sent);
  const { token, secret, address, uri, recovery_codes, ...rest } = (
    Array.isArray(body) || typeof body === 'string' ? { body } : body
  ) as Record<string, unknown>;
  for (const issued of [token, secret, ...((recovery_codes ?? []) as string[])])
    if (typeof issued === 'string') keepSecret(issued);
  answers.push(JSON.stringify([headers, rest]));
  return { token, secret, address, uri, recovery_codes, ...rest };
}

describe('a password, a token, the address of a webhook or the secret of a second factor', () => {
  it('a secret is in no response except the one that issues it, in no log, and in no file of the embedded database', async () => {
    const admin = await anAdmin();
    const [first, second, wrong] = [0, 1, 2].map(() => keepSecret(`the secret ${crypto.randomUUID()}`));
    const username = aName();
    const person = { username, email: `${username}@example.org`, password: first };
    const { token: session, user } = await call('POST', '/api/users', { body: person });
    const sent = { token: String(session) };
    await call('POST', '/api/users', { body: person });
    await call('POST', '/api/sessions', { body: { username, password: first } });
    await call('POST', '/api/sessions', { body: { username, password: wrong } });
    // Typing the password in place of the name is a common slip.
    await call('POST', '/api/sessions', { body: { username: wrong, password: first } });
    await call('POST', '/api/users', { body: { ...person, username: wrong } });
    await call('POST', '/api/sessions', { body: `{"username":"${username}","password":"${first}"` });
    const { token: robot } = await call('POST', '/api/tokens', { ...sent, body: { name: 'robot', current_password: first } });
    await call('POST', '/api/tokens', { ...sent, body: { name: 'robot', current_password: first } });
    await call('PATCH', '/api/users/me', { ...sent, body: { password: second, current_password: wrong } });
    await call('PATCH', '/api/users/me', { ...sent, body: { password: second, current_password: first, keep_tokens: true } });
    const { _id } = await call('POST', '/api/rooms', { token: admin.token, body: { name: 'Builds' } });
    const { secret } = await call('POST', `/api/rooms/${(_id as { $oid: string }).$oid}/webhooks`, {
      token: admin.token,
      body: {},
    });
    for (const body of [{ text: 'x' }, { text: '' }, '{', { text: 'x', channel: [] }])
      await call('POST', `/api/webhooks/${secret}`, { body });
    await call('GET', `/api/webhooks/${secret}`);
    await call('POST', `/api/webhooks/${keepSecret(crypto.randomUUID().replaceAll('-', ''))}`, { body: { text: 'x' } });
    const { uri } = await call('POST', '/api/second-factor', { ...sent, body: { current_password: second } });
    const app = anApp(String(uri));
    await call('PUT', '/api/second-factor', { ...sent, body: { code: aWrongCode(app) } });
    const { recovery_codes } = await call('PUT', '/api/second-factor', { ...sent, body: { code: codeOf(app) } });
    const [recovery, spare] = recovery_codes as string[];
    for (const second_factor of [aWrongCode(app), codeOf(app, 1), recovery, recovery, `${spare}x`])
      await call('POST', '/api/sessions', { body: { username, password: second, second_factor } });
    for (const path of ['/api/users/me', '/api/sessions', '/api/second-factor', '/api/tokens', '/api/rooms', '/api/nothing']) {
      for (const token of [session, robot]) await call('GET', path, { token: String(token) });
    }
    await call('GET', '/api/users?limit=200', { token: admin.token });
    await call('GET', `/api/users/${(user as { _id: { $oid: string } })._id.$oid}`, { token: admin.token });
    await call('DELETE', '/api/sessions/current', sent);

    expect(new Set(secrets).size).toBe(21);
    // The log comes through a pipe, perhaps a moment after the answer.
    await expect.poll(service.output, { timeout: 10_000 }).toContain('"route":"/api/sessions/{session}"');
    const places = { answers: answers.join('\n'), log: service.output(), ...(await filesOf(dataDir)) };
    const security = places.log.split('\n').filter((line) => line.includes('"message":"security"'));
    expect(security.map((line) => JSON.parse(line).event)).toEqual([
      'sign-up',
      'login failed',
      'login failed',
      'token made',
      'wrong current password',
      'account changed',
      'webhook made',
      'second factor turned on',
      'wrong second factor',
      'recovery code used',
      'wrong second factor',
    ]);
    for (const [place, content] of Object.entries(places)) {
      expect({ place, found: secrets.filter((secret) => content.includes(secret)) }).toEqual({ place, found: [] });
    }
  });
});

/** The files of a directory and their bytes. */
async function filesOf(directory: string): Promise<Record<string, string>> {
  if (directory === '') return {};
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'latin1')])));
}
