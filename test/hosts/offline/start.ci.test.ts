import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAdministrator } from '../../../tools/harness/hanging-world/town.ts';
import { freePort, type Service, ServiceEnded } from '../../../tools/harness/service.ts';
import { succeed } from '../../support/rooms.ts';
import { runCommand } from '../../support/run-command.ts';
import { aService } from '../../support/services.ts';
import { connected } from '../../support/sockets.ts';
import { overHttp } from '../../support/transports.ts';
import { isEmbedded } from '../../support/worker.ts';

const directory = await mkdtemp(join(tmpdir(), 'chat-start-'));
const settings = {
  MONGODB_URI: '',
  DATA_DIR: join(directory, 'data'),
  LOG_LEVEL: 'info',
  MONGODB_DATABASE: 'chat',
  // The directory is deleted with the files that a killed emulator leaves behind.
  TMPDIR: directory,
};
afterAll(() => rm(directory, { recursive: true }));

const administer = (words: string[], input = '') =>
  runCommand(['npm', 'run', '--silent', 'admin', '--', ...words], { input, environment: settings });

describe.runIf(isEmbedded)('npm start, on a machine with only Node.js', () => {
  it('npm start serves an API with its own database, prints their addresses, and keeps everything after Ctrl-C, also while somebody is connected', async () => {
    const first = await aService(settings);
    const code = /setup#([a-z0-9]{32})/.exec(first.output())?.[1];
    expect(first.output()).toBe(
      `The API is at ${first.url}/api, the web client at ${first.url}/. Ctrl-C stops both.
The documentation is at ${first.url}/docs.
Make the first administrator, within a day: https://chat.example.org/setup#${code}
Or by a command: DATA_DIR=${settings.DATA_DIR} npm run --silent admin -- user create <username> --email <email> --admin
`,
    );

    const whileRunning = await administer(
      ['user', 'create', 'ann', '--email', 'ann@example.org', '--admin', '--password-stdin'],
      'open sesame\n',
    );
    expect(whileRunning).toEqual({ code: 0, stdout: 'Created the administrator ann.\n', stderr: '' });
    const { stdout } = await administer(['token', 'create', 'ann', '--name', 'laptop']);
    const token = stdout.trim();
    const { body } = await overHttp(first.url)('POST', '/api/rooms', { token, body: { name: 'General' } });
    // Log lines come a moment after the answer.
    await expect.poll(() => first.output()).toContain('"method":"POST","route":"/api/rooms","status":201');
    expect(first.output()).not.toContain(token);
    const { closed } = await connected(first.url, { token });
    expect(await first.stop()).toBe(0);
    await closed;
    expect(first.output()).not.toMatch(/"level":"error"/);

    const whileStopped = await administer(['token', 'create', 'ann', '--name', 'another']);
    expect(whileStopped).toEqual({ code: 0, stdout: expect.stringMatching(/^[a-z0-9]{32}\n$/), stderr: '' });

    const second = await aService({ ...settings, HOME: '/dev/null' });
    expect(second.output()).not.toContain('Make the first administrator');
    // It needs no home directory.
    expect(second.output()).not.toContain('Error');
    const written = second.output().length;
    expect((await overHttp(second.url)('GET', '/api/rooms', { token })).body).toEqual([body]);
    await expect.poll(() => second.output().slice(written)).toMatch(/^\{.*"route":"\/api\/rooms".*\}\n$/);
    // It has forgotten the connection of before.
    const again = await connected(second.url, { token });
    await succeed(overHttp(second.url)('POST', '/api/rooms', { token, body: { name: 'Pushed' } }));
    await expect.poll(() => again.of('room')).toHaveLength(1);
    await expect.poll(() => second.output()).toMatch(/"message":"push".*"sent":1,.*"dropped":0/);
    again.socket.close();
    expect(await second.stop()).toBe(0);
  });

  it('npm start ends when only its npm process is terminated', async () => {
    const service = await aService(settings, ['npm', 'start', '--silent']);
    expect((await overHttp(service.url)('GET', '/api/rooms')).status).toBe(401);
    service.signalLeader('SIGTERM');
    await service.ended;
    // The leader's pipes close when the last of its processes has ended.
    expect(await overHttp(service.url)('GET', '/api/rooms').catch(({ code }) => code)).toBe('ECONNREFUSED');
  });

  describe('npx serverless offline', () => {
    let service: Service;
    let lambdaPort: string;
    beforeAll(async () => {
      lambdaPort = await freePort();
      service = await aService(settings, ['serverless', 'offline', '--lambdaPort', lambdaPort]);
    });
    afterAll(async () => expect(await service.stop()).toBe(0));

    it('npx serverless offline does the same as npm start', async () => {
      expect((await overHttp(service.url)('GET', '/api/rooms')).status).toBe(401);
    });

    it('npx serverless offline accepts only requests, and no events', async () => {
      const path = '/2015-03-31/functions/chat-service-dev-sessions/invocations';
      await expect(fetch(`http://localhost:${lambdaPort}${path}`, { method: 'POST' })).rejects.toMatchObject({
        cause: { code: 'ECONNREFUSED' },
      });
      expect((await fetch(service.url + path, { method: 'POST', body: '{}' })).status).toBe(404);
    });

    it('npm start reports that the data directory is held by another process', async () => {
      const ended = await failure(aService(settings));
      expect(ended).toMatchObject({ code: 1 });
      expect(sentenceOf(ended)).toMatch(/held by process \d+/);
    });
  });

  it('npm start loses nothing that it acknowledged before it was killed', async () => {
    const ownSettings = { ...settings, DATA_DIR: join(directory, 'killed') };
    const first = await aService(ownSettings);
    const token = await makeAdministrator(first);
    const acknowledged: unknown[] = [];
    const writing = Promise.allSettled(
      Array.from({ length: 200 }, async (_, index) => {
        const { status, body } = await overHttp(first.url)('POST', '/api/rooms', { token, body: { name: `Room ${index}` } });
        if (status === 201) acknowledged.push(body);
        if (acknowledged.length === 50) first.signal('SIGKILL');
      }),
    );
    await writing;
    await first.stop();
    expect(acknowledged.length).toBeGreaterThanOrEqual(50);

    const second = await aService(ownSettings);
    expect((await overHttp(second.url)('GET', '/api/rooms', { token })).body).toEqual(expect.arrayContaining(acknowledged));
    await second.stop();
  });

  it('npm start reports that the data directory is not a directory', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    const ended = await failure(aService({ ...settings, DATA_DIR: join(file, 'data') }));
    expect(ended).toMatchObject({ code: 1 });
    expect(sentenceOf(ended)).toContain(join(file, 'data'));
  });
});

describe('npm start', () => {
  it.each(['HTTP_PORT', 'WEBSOCKET_PORT'])('npm start reports that a port is taken: %s', async (setting) => {
    const server = createServer().listen(0, 'localhost');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const ended = await failure(aService({ [setting]: String(port) }));
    server.close();
    expect(ended).toMatchObject({ code: 1 });
    expect(sentenceOf(ended)).toBe(`Port ${port} is taken: end what uses it, or set ${setting} to another.`);
  });

  it.each([
    ['HTTP_PORT', 'http', 'from 0 to 65535'],
    ['WEBSOCKET_PORT', '0', 'from 1 to 65535'],
  ])('npm start reports that a port is not valid: %s=%s', async (setting, value, range) => {
    const ended = await failure(aService({ [setting]: value }));
    expect(ended).toMatchObject({ code: 1 });
    expect(sentenceOf(ended)).toBe(`Set ${setting} to a port ${range}, not '${value}'.`);
  });

  it('npm start reports that the database at MONGODB_URI is unreachable', async () => {
    const ended = await failure(aService({ MONGODB_URI: 'mongodb://127.0.0.1:1/' }));
    expect(ended).toMatchObject({ code: 1 });
    expect(sentenceOf(ended)).toMatch(
      /^The database can't be reached \(connect ECONNREFUSED 127\.0\.0\.1:1\): check MONGODB_URI/,
    );
  });
});

/** The output of a service that should not start; stops the service if it does. */
const failure = async (starting: Promise<Service>): Promise<ServiceEnded> => {
  try {
    await (await starting).stop();
  } catch (error) {
    if (error instanceof ServiceEnded) return error;
    throw error;
  }
  throw new Error('The service started.');
};

/** The last line of its output. */
const sentenceOf = ({ output }: ServiceEnded) => output.trim().split('\n').at(-1) ?? '';
