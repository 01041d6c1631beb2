import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../tools/harness/service.ts';
import { commandsMarked, titleOf } from '../support/document-blocks.ts';
import { copyProject } from '../support/documented-clone.ts';
import {
  certificates,
  debian,
  hasCommand,
  leaderOf,
  missingForMachine,
  must,
  npmDirectory,
} from '../support/documented-machine.ts';
import { runCommand } from '../support/run-command.ts';
import { atTerminal } from '../support/terminal.ts';

const missing = missingForMachine() || (hasCommand('buildah') ? '' : 'buildah');

/*
 * A substitute for Docker, which the tests do not have. It builds the Dockerfile with buildah, over
 * a Debian with this Node.js in place of the image `node:24-slim`. Then it runs the container with
 * systemd-nspawn as compose.yaml says. It is read-only except /data and /tmp, runs as the user
 * 1000, and lacks capabilities.
 */
describe.runIf(missing === '')(`a container${missing && `: left out, for it needs ${missing}`}`, () => {
  let directory: string;
  let port: string;
  let running: ChildProcess | undefined;
  let output = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'chat-container-'));
    port = await freePort();
    await copyProject(join(directory, 'chat-service'), { withBuilt: false });
    await makeBase();
  });
  afterAll(async () => {
    if (running?.exitCode === null) {
      process.kill(Number(await leaderOf(running, '(sd-stubinit)')), 'SIGKILL');
      await once(running, 'exit');
    }
    await buildah('umount', '--all').catch(() => {});
    await rm(directory, { recursive: true, force: true });
  });

  const storage = () => ['--root', join(directory, 'images'), '--runroot', join(directory, 'run'), '--storage-driver', 'vfs'];
  const buildah = (...words: string[]) => must(['buildah', ...storage(), ...words]);

  async function makeBase(): Promise<void> {
    await buildah('from', '--name', 'base', 'scratch');
    await buildah('copy', 'base', await debian(), '/');
    await buildah('copy', 'base', process.execPath, '/usr/local/bin/node');
    await buildah('copy', 'base', await npmDirectory(), '/usr/local/lib/node_modules/npm');
    if (certificates) {
      await buildah('copy', 'base', certificates, '/etc/ssl/extra.pem');
      await buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/extra.pem', 'base');
    }
    const prepare = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --create-home --uid 1000 node';
    await buildah('run', '--isolation', 'chroot', 'base', 'sh', '-c', prepare);
    await buildah('commit', '--rm', 'base', 'docker.io/library/node:24-slim');
  }

  /** `docker compose --profile embedded up --detach --build` */
  async function up(): Promise<string> {
    await buildah('bud', '--isolation', 'chroot', '--pull=never', '--tag', 'chat', join(directory, 'chat-service'));
    const image = JSON.parse(await buildah('inspect', '--type', 'image', 'chat')).OCIv1.config;
    await buildah('from', '--pull=never', '--name', 'chat', 'chat');
    const root = await buildah('mount', 'chat');
    const data = join(directory, 'data');
    await mkdir(data, { mode: 0o700 });
    await must(['chown', '1000:1000', data]);
    const environment: string[] = [...image.Env, `HTTP_PORT=${port}`, 'HTTP_HOST=127.0.0.1', 'TRUST_PROXY=1'];
    const confined = ['--read-only', `--user=${image.User}`, `--bind=${data}:/data`, '--tmpfs=/tmp', '--no-new-privileges=yes'];
    const options = ['--quiet', '--as-pid2', '--register=no', '--keep-unit', '--console=pipe', '-M', `image-${process.pid}`];
    const settings = environment.map((setting) => `--setenv=${setting}`);
    const words = ['-D', root, ...options, ...confined, '--drop-capability=all', '--chdir=/app', ...settings, '--', ...image.Cmd];
    running = spawn('systemd-nspawn', words, { stdio: ['ignore', 'pipe', 'pipe'] });
    running.stdout?.on('data', (chunk) => (output += chunk));
    running.stderr?.on('data', (chunk) => (output += chunk));
    await expect
      .poll(
        () =>
          fetch(`http://127.0.0.1:${port}/api/health`).then(
            ({ status }) => status,
            () => output,
          ),
        { timeout: 60_000 },
      )
      .toBe(200);
    await writeFile(join(directory, 'environment'), environment.join('\n'));
    return output;
  }

  /** `docker compose exec chat ...` */
  async function exec(command: string): Promise<string> {
    const environment = (await readFile(join(directory, 'environment'), 'utf8')).split('\n').map((setting) => `'${setting}'`);
    const leader = await leaderOf(running as ChildProcess, '(sd-stubinit)');
    const inside = `nsenter --target ${leader} --all --setuid 1000 --setgid 1000 env --chdir=/app -i ${environment.join(' ')} ${command}`;
    const { code, screen } = await atTerminal(
      inside,
      [
        ['Password: ', 'open sesame\r'],
        ['Once more: ', 'open sesame\r'],
      ],
      { cwd: '/' },
    );
    expect(code, screen).toBe(0);
    return screen;
  }

  /** `docker compose cp chat:/data/... ...` */
  async function copy(from: string, to: string): Promise<string> {
    await cp(join(directory, from), join(directory, to), { recursive: true });
    return '';
  }

  const commands: [RegExp, (...words: string[]) => Promise<string>][] = [
    [/^docker compose --profile embedded up --detach --build$/, up],
    [/^docker compose exec chat (.+)$/, exec],
    [/^docker compose cp chat:(\/data\/\S+) (\S+)$/, copy],
  ];

  it.each(commandsMarked('container').map((block) => [titleOf(block), block] as const))(
    'a documented command for a container succeeds: %s',
    async (_title, { code }) => {
      for (const line of code.trim().split('\n')) {
        const [pattern, run] = commands.find(([one]) => one.test(line)) ?? [];
        if (!pattern || !run) throw new Error(`There is nothing in place of '${line}'.`);
        console.log(`${line}\n${await run(...(pattern.exec(line)?.slice(1) ?? []))}`);
      }
    },
    900_000,
  );

  it('the process in a container is the user 1000, has no capabilities, and can write nowhere else', async () => {
    expect(await exec("sh -c 'id -u; grep CapEff /proc/self/status; touch /app/x || touch /etc/x || echo nothing'")).toMatch(
      /^1000\nCapEff:\s0+\n[\s\S]*nothing\n$/,
    );
    const { stdout } = await runCommand(['ls', join(directory, '2026-11-21')]);
    expect(stdout).toContain('database.sqlite');
  });
});
