import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { launchDatabase } from 'embedded-mongodb/launch';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../../tools/harness/service.ts';
import { runCommand } from '../../support/run-command.ts';
import { overHttp } from '../../support/transports.ts';
import { isEmbedded } from '../../support/worker.ts';

const settings = { MONGODB_URI: '', MONGODB_DATABASE: 'chat', HTTP_PORT: '0', LOG_LEVEL: 'debug', AUDIT_LOG: '' };

describe.runIf(isEmbedded && existsSync('/sys/kernel'))('the operating system refuses', () => {
  it('npm run serve names the user and the directory that it may not write to', async () => {
    const environment = { ...settings, DATA_DIR: '/sys/chat' };
    expect(await runCommand(commands.serve, { environment })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /user '?\w+'? may not open or change \/sys\/chat \(E(PERM|ACCES)\)|\/sys\/chat is on a file system/,
      ),
    });
  });

  it('npm run serve names the limit when it may open no more files', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'chat-limit-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const environment = { ...settings, DATA_DIR: join(directory, 'data') };
    // How many files Node.js itself needs depends on the machine. With fewer, it does not start.
    for (let limit = 20; limit < 40; limit++) {
      const ended = await runCommand(['sh', '-c', `ulimit -n ${limit}; exec ${commands.serve.join(' ')}`], { environment });
      expect(ended.code).not.toBe(0);
      if (ended.stderr.includes(`this process has as many files open as it may, ${limit} (EMFILE)`)) return;
    }
    expect.fail('No start named its limit.');
  });
});

describe.runIf(isEmbedded)('a directory that the service cannot write to', () => {
  it.each([
    ['files', { FILES: 'a-file/files' }, 'FILES'],
    ['files, with several workers', { FILES: 'a-file/files', WORKERS: '2' }, 'FILES'],
    ['backups', { BACKUP_DIR: 'a-file/backups' }, '--backup-dir or BACKUP_DIR'],
  ])('npm run serve does not start without a directory for %s, and names the setting', async (_what, places, setting) => {
    const directory = await mkdtemp(join(tmpdir(), 'chat-places-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'a-file'), '');
    const inDirectory = Object.entries(places).map(([name, value]) => [
      name,
      name === 'WORKERS' ? value : join(directory, value),
    ]);
    const environment = { ...settings, DATA_DIR: join(directory, 'data'), ...Object.fromEntries(inDirectory) };
    expect(await runCommand(commands.serve, { environment })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^Set ${setting} to a directory that the service can write to: ENOTDIR: not a directory.*\\.\\n$`),
      ),
    });
  });
});

it.runIf(isEmbedded && process.getuid?.() === 0)(
  'npm run serve names the user who may not write to the database file',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'chat-file-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const { close } = await launchDatabase({ dataDir: directory });
    await close();
    await chmod(dirname(directory), 0o711);
    await chmod(directory, 0o777);
    await chmod(join(directory, 'database.sqlite'), 0o444);
    const environment = { ...settings, DATA_DIR: directory };
    const asNobody = [
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      process.execPath,
      ...commands.serve.slice(4),
    ];
    expect(await runCommand(asNobody, { environment })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The database cannot be opened in .*: user 'nobody' may not open or change .*\/database\.sqlite \(EACCES\)/,
      ),
    });
  },
);

it.runIf(isEmbedded)('npm run serve writes nothing but lines of JSON to its standard output', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'chat-output-'));
  const [command = '', ...words] = commands.serve;
  const service = spawn(command, words, {
    env: { ...process.env, ...settings, DATA_DIR: join(directory, 'data') },
    stdio: 'pipe',
  });
  const ended = once(service, 'close');
  onTestFinished(async () => {
    service.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true });
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    service[name].on('data', (chunk: Buffer) => {
      written[name] += chunk.toString();
    });
  const url = () => /The API is at (\S+)\/api/.exec(written.stderr)?.[1];
  await expect.poll(url, { timeout: 60_000 }).toBeDefined();
  const call = overHttp(url() as string);
  for (const path of ['/api/health', '/api/rooms', '/api/nothing', '/%zz']) await call('GET', path);
  service.kill('SIGTERM');
  await ended;
  const lines = written.stdout.trim().split('\n');
  expect(lines.length).toBeGreaterThan(4);
  expect(lines.filter((line) => !line.startsWith('{')).concat(lines.filter((line) => !JSON.parse(line).level))).toEqual([]);
});
