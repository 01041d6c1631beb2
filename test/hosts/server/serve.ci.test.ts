import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { client } from '../../../lib/database/client.ts';
import { makeAdministrator } from '../../../tools/harness/hanging-world/town.ts';
import { preloading } from '../../../tools/harness/preload.ts';
import { commands, freePort, type Service } from '../../../tools/harness/service.ts';
import { anAccount, anAdmin } from '../../support/accounts.ts';
import { addMember, aRoom, succeed } from '../../support/rooms.ts';
import { runCommand } from '../../support/run-command.ts';
import { aService } from '../../support/services.ts';
import { overHttp } from '../../support/transports.ts';
import { isEmbedded } from '../../support/worker.ts';

const directory = await mkdtemp(join(tmpdir(), 'chat-serve-'));
afterAll(() => rm(directory, { recursive: true }));

const serve = (environment: Record<string, string>, ...options: string[]) =>
  aService(environment, [...commands.serve, ...options]);

/** Settings that give it its own database. */
const withOwnDatabase = (name: string) => ({
  MONGODB_URI: '',
  MONGODB_DATABASE: 'chat',
  DATA_DIR: join(directory, name),
  LOG_LEVEL: 'info',
});

describe.runIf(isEmbedded)('npm run serve, with its own database', () => {
  // A single process has its database within itself, workers share one that is a process of its
  // own.
  const usualEnds = [
    ['SIGINT', 1],
    ['SIGTERM', 2],
    ['SIGKILL', 2],
  ] as const;
  const otherEnds = [
    ['SIGINT', 2],
    ['SIGTERM', 1],
    ['SIGKILL', 1],
  ] as const;
  const ends = process.env.KILLS ? [...usualEnds, ...otherEnds] : usualEnds;
  it.each(ends)('npm run serve loses nothing that it acknowledged before a %s, with WORKERS=%i', async (signal, workers) => {
    const settings = { ...withOwnDatabase(`${signal}-${workers}`), WORKERS: String(workers) };
    const first = await serve(settings);
    expect(await childrenOf(first)).toHaveLength(workers === 1 ? 0 : workers + 1);
    const token = await makeAdministrator(first);
    const acknowledged: unknown[] = [];
    let hasBroken = false;
    // Sixteen callers create rooms one after the other, until nobody answers.
    const callers = Array.from({ length: 16 }, async (_, caller) => {
      for (let count = 0; !hasBroken; count++) {
        const sent = { token, body: { name: `Room ${count} of ${caller}` } };
        const { status, body } = await overHttp(first.url)('POST', '/api/rooms', sent).catch((error) => ({
          status: 0,
          body: String(error),
        }));
        if (status === 201 && acknowledged.push(body) === 100) first.signal(signal);
        // Before the signal a busy machine may only have had too little time.
        if (status !== 201 && acknowledged.length < 100) expect({ status, body }).toMatchObject({ status: 503 });
        hasBroken ||= status !== 201 && acknowledged.length >= 100;
      }
    });
    await Promise.all(callers);
    expect(await first.ended).toBe(signal === 'SIGKILL' ? null : 0);
    expect(acknowledged.length).toBeGreaterThanOrEqual(100);

    const second = await serve(settings);
    const { body } = await overHttp(second.url)('GET', '/api/rooms', { token });
    expect(body).toEqual(expect.arrayContaining(acknowledged));
    expect(await second.stop()).toBe(0);
  });

  it('npm run serve sees changes by the command line immediately, even of a caller whom it has cached', async () => {
    const settings = withOwnDatabase('command-line');
    const service = await serve(settings);
    await makeAdministrator(service);
    const run = async (...words: string[]) =>
      (await runCommand(['node', 'admin/main.ts', ...words], { environment: settings, input: 'open sesame\n' })).stdout.trim();
    await run('user', 'create', 'bob', '--email', 'bob@example.org', '--password-stdin');
    const token = await run('token', 'create', 'bob', '--name', 'phone');
    const whoAmI = async () => (await overHttp(service.url)('GET', '/api/users/me', { token })).status;
    const seen = [await whoAmI(), await whoAmI()];
    for (const change of ['deactivate', 'activate']) {
      await run('user', change, 'bob');
      seen.push(await whoAmI());
    }
    expect(seen).toEqual([200, 200, 401, 200]);
    expect(await service.stop()).toBe(0);
  });

  it('npm run serve does not share its data directory with another process', async () => {
    const settings = withOwnDatabase('shared');
    const service = await serve(settings);
    await expect(serve(settings)).rejects.toMatchObject({ code: 1, output: expect.stringMatching(/held by process \d+/) });
    expect(await service.stop()).toBe(0);
  });

  it('npm run serve strips no types and loads no WebSocket client, once `npm ci` has warmed it up', async () => {
    const settings = { ...withOwnDatabase('warm'), NODE_COMPILE_CACHE: join(directory, 'compiled') };
    expect(await largeModulesOf(settings)).toEqual(['amaro']);
    await rm(settings.NODE_COMPILE_CACHE, { recursive: true });
    expect(await runCommand(['node', 'hosts/server/warm-up.js'], { environment: settings })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(await largeModulesOf(settings)).toEqual(['none']);
  });

  it('npm run serve ends when its npm process is terminated', async () => {
    const service = await aService(withOwnDatabase('npm'), ['npm', 'run', '--silent', 'serve']);
    expect((await overHttp(service.url)('GET', '/api/rooms')).status).toBe(401);
    service.signalLeader('SIGTERM');
    await service.ended;
    await expect.poll(() => overHttp(service.url)('GET', '/api/rooms').catch(({ code }) => code)).toBe('ECONNREFUSED');
  });
});

describe('npm run serve', () => {
  it('npm run serve shares its port among workers, replaces one that is killed, and ends them all', async () => {
    const metricsPort = await freePort();
    const service = await serve({ LOG_LEVEL: 'info' }, '--workers', '2', '--metrics-port', metricsPort);
    const { token } = await anAdmin();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () => overHttp(service.url)('GET', '/api/rooms?limit=1', { token })),
    );
    expect(statuses.map(({ status }) => status)).toEqual(statuses.map(() => 200));
    const counted = async () => (await fetch(`http://localhost:${metricsPort}/metrics`)).text();
    expect(await counted()).toContain('chat_requests_total{function="rooms",method="GET",status="200"} 20\n');
    expect(await counted()).toContain('chat_processes 2\n');
    expect((await fetch(`http://localhost:${metricsPort}/api/rooms`)).status).toBe(404);
    expect((await overHttp(service.url)('GET', '/metrics')).status).toBe(404);

    await killAWorker(service);
    await expect.poll(() => service.output()).toContain('"message":"worker ended"');
    await expect.poll(counted).toContain('chat_processes 2\n');
    expect((await overHttp(service.url)('GET', '/api/rooms?limit=1', { token })).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.output()).not.toContain(token);
  });

  it('npm run serve leaves no client waiting whose connection was meant for a worker that was killed', async () => {
    const service = await serve({ LOG_LEVEL: 'error' }, '--workers', '2');
    onTestFinished(() => service.signal('SIGKILL'));
    const { port } = new URL(service.url);
    let isOver = false;
    const waiting = new Set<Socket>();
    const ask = () =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), 'localhost', () => socket.write('GET /api/health HTTP/1.0\r\n\r\n'));
        waiting.add(socket);
        socket.on('error', () => undefined).resume();
        socket.on('close', () => {
          waiting.delete(socket);
          resolve();
        });
      });
    const repeat = async () => {
      while (!isOver) {
        await ask();
        await delay(2);
      }
    };
    // A client that waits in vain does not come back, so there are more clients than kills.
    const clients = Array.from({ length: 20 }, repeat);
    const kills = process.env.KILLS ? 20 : 3;
    for (let killed = 0; killed < kills; killed++) {
      const before = service.output().split('"message":"worker ended"').length;
      await killAWorker(service);
      await expect.poll(() => service.output().split('"message":"worker ended"').length).toBe(before + 1);
      await expect.poll(async () => (await childrenOf(service)).length).toBe(2);
    }
    isOver = true;
    await expect.poll(() => waiting.size).toBe(0);
    await Promise.all(clients);
  });

  it('npm run serve logs that it has started, and who invites, gives roles, changes what accounts may use and deletes rooms', async () => {
    const service = await serve({ LOG_LEVEL: 'info', REGISTRATION: 'closed' });
    const [owner, member, admin] = await Promise.all([anAccount(), anAccount(), anAdmin()]);
    const room = await aRoom({ owner });
    const call = overHttp(service.url);
    const path = `/api/rooms/${room.id}`;
    const { body } = await succeed(call('POST', `${path}/invitations`, { token: owner.token, body: {} }));
    const invitation = (body as { _id: { $oid: string } })._id.$oid;
    await succeed(call('DELETE', `${path}/invitations/${invitation}`, { token: owner.token }));
    const added = await addMember(room, member, 'member', call);
    await succeed(call('PATCH', `/api/members/${added}`, { token: owner.token, body: { role: 'moderator' } }));
    const use = (body: object) => succeed(call('PATCH', `/api/users/${member.id}/usage`, { token: admin.token, body }));
    await use({ is_held: true, writes_per_second: 3 });
    await use({ is_held: false });
    await use({ writes_per_second: null });
    await succeed(call('DELETE', path, { token: admin.token }));
    expect(await service.stop()).toBe(0);
    expect(service.output()).not.toContain('sign up');
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const logged = lines.map((line) => JSON.parse(line));
    expect(logged.filter(({ message }) => message === 'started')).toMatchObject([{ port: Number(new URL(service.url).port) }]);
    const what = `room ${room.id}`;
    expect(logged.filter(({ message }) => message === 'security')).toMatchObject([
      { event: 'invitation made', whom: invitation, what, by: owner.id },
      { event: 'invitation revoked', whom: invitation, what, by: owner.id },
      { event: 'role changed', whom: added, what: 'moderator', by: owner.id },
      { event: 'account held', whom: member.id, by: admin.id },
      { event: 'rate changed', whom: member.id, what: '3 per second', by: admin.id },
      { event: 'account released', whom: member.id, by: admin.id },
      { event: 'rate changed', whom: member.id, what: 'default per second', by: admin.id },
      { event: 'room deleted', what, by: admin.id },
    ]);
  });

  it('npm run serve prints a command for the first administrator that works on its database, that everyone can sign up, and that a setting is misspelled', async () => {
    const settings = { MONGODB_DATABASE: `chat_test_start_${randomBytes(6).toString('hex')}`, REGISTRATON: 'closed' };
    const service = await serve(settings);
    onTestFinished(async () => {
      await service.stop();
      await client.db(settings.MONGODB_DATABASE).dropDatabase();
    });
    const command = `MONGODB_URI="$MONGODB_URI" MONGODB_DATABASE=${settings.MONGODB_DATABASE} npm run --silent admin -- user create`;
    expect(service.output()).toContain(`Or by a command: ${command}`);
    expect(service.output()).toContain('Unknown setting REGISTRATON. Did you mean REGISTRATION?\n');
    expect(service.output()).toContain(
      'Anyone who reaches this address can sign up; REGISTRATION=invited or closed changes that.\n',
    );
  });

  it('npm run serve ends with its workers, even when it learns of their end before their channels close', async () => {
    // A child process that outlives a worker and has its channel keeps it open.
    const script = `if (process.channel) {
      const { spawn } = await import('node:child_process');
      spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'ignore', process.channel.fd] }).unref();
    }`;
    const service = await serve(preloading(script), '--workers', '2');
    onTestFinished(() => service.signal('SIGKILL'));
    service.signalLeader('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  it.each([
    ['an unknown option', ['--prot', '80'], 2, "Unknown option '--prot'"],
    ['an invalid port', ['--port', 'http'], 2, "Set --port or HTTP_PORT to a whole number from 0 to 65535, not 'http'."],
    ['an invalid number of workers', ['--workers', '-1'], 2, '--workers'],
  ])('npm run serve reports %s, and prints the usage', async (_what, options, code, sentence) => {
    const ended = await runCommand([...commands.serve, ...options]);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(sentence);
    expect(ended.stderr).toContain('Usage: npm run serve -- [OPTION...]');
  });

  it('npm run serve reports that a port is taken', async () => {
    const server = createServer().listen(0, 'localhost');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const ended = await runCommand([...commands.serve, '--port', String(port)]);
    server.close();
    expect(ended).toMatchObject({
      code: 1,
      stderr: `Port ${port} is taken: end what uses it, or set --port or HTTP_PORT to another.\n`,
    });
  });

  it.each([
    ['the port of the metrics is taken', 'METRICS_PORT', 'taken', /^Port \d+ is taken: .* set --metrics-port or METRICS_PORT/],
    ['the port of the database is taken', 'DATABASE_PORT', 'taken', /^Port \d+ of 127\.0\.0\.1 is taken: set DATABASE_PORT/],
    [
      'the address is not this machine’s',
      'HTTP_HOST',
      '192.0.2.1',
      /^'192\.0\.2\.1' is not an address of this machine\. Set --host or HTTP_HOST/,
    ],
    [
      'the host does not exist',
      'HTTP_HOST',
      'no.invalid',
      /^'no\.invalid' is not an address of this machine\. Set --host or HTTP_HOST/,
    ],
    ['an origin has no scheme', 'CORS_ORIGINS', 'example.org', /^Set CORS_ORIGINS to \* or to origins .*, not 'example\.org'\.$/],
    [
      'the mail server is one of AWS’s parameters',
      'SMTP_URL',
      'ssm:/chat/smtp-url',
      /^Set SMTP_URL to the address of a mail server: /,
    ],
  ])('npm run serve reports in one sentence, with the name of the setting, that %s', async (_what, name, value, sentence) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const environment = {
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: '0',
      ...(name === 'DATABASE_PORT' && withOwnDatabase('port')),
      [name]: value === 'taken' ? String(port) : value,
    };
    const { code, stderr } = await runCommand(commands.serve, { environment });
    server.close();
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
    expect(stderr.trim()).toMatch(sentence);
  });

  it('npm run serve reports that the database at MONGODB_URI is unreachable', async () => {
    const ended = await runCommand(commands.serve, { environment: { MONGODB_URI: 'mongodb://127.0.0.1:1/' } });
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The database can't be reached (connect ECONNREFUSED 127.0.0.1:1)"),
    });
  });
});

/**
 * The large built-in modules of Node.js that the server and its database have loaded when they end.
 */
async function largeModulesOf(settings: Record<string, string>): Promise<string[]> {
  const script = `process.on('exit', () => {
    const names = process.moduleLoadList.flatMap((name) => /internal.deps.(amaro|undici)/.exec(name)?.[1] ?? []);
    console.error('loaded: ' + (names.join() || 'none'));
  })`;
  const service = await serve({ ...settings, ...preloading(script) });
  // The first request makes all functions load.
  await overHttp(service.url)('GET', '/api/rooms');
  await expect.poll(service.output).toContain('"functions loaded"');
  expect(await service.stop()).toBe(0);
  return [...service.output().matchAll(/^loaded: (.+)$/gm)].map(([, names = '']) => names);
}

async function childrenOf(service: Service): Promise<number[]> {
  const { stdout } = await runCommand(['ps', '--ppid', String(service.pid), '-o', 'pid=']);
  return stdout.split('\n').filter(Boolean).map(Number);
}

async function killAWorker(service: Service): Promise<void> {
  const [first] = await childrenOf(service);
  if (first === undefined) throw new Error('No worker process is running.');
  process.kill(first, 'SIGKILL');
}
