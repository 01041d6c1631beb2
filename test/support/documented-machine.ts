import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { copyProject } from './documented-clone.ts';
import { runCommand } from './run-command.ts';
import { atTerminal, type Dialogue } from './terminal.ts';

/** A Debian that systemd has started, with Node.js, npm and a repository of the project at /srv/chat-service.git. */
export type Machine = {
  /** Runs a script as root at a terminal; where the screen shows a prompt, types what stands beside it, each once. */
  run: (script: string, dialogue: Dialogue) => Promise<{ code: number; screen: string }>;
  close: () => Promise<void>;
};

/** What this machine lacks to start another one, or to install Debian for it. */
export function missingForMachine(): string {
  if (process.getuid?.() !== 0) return 'root';
  return ['systemd-nspawn', 'debootstrap', 'script', 'git'].find((tool) => !hasCommand(tool)) ?? '';
}

/** Whether there is a command of this name. */
export const hasCommand = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

/** Debian with what the commands need; made once, for it takes a minute. */
export async function debian(): Promise<string> {
  const directory = resolve(process.env.DOCS_DEBIAN ?? 'node_modules/.cache/docs-debian');
  if (existsSync(join(directory, 'usr/bin/git'))) return directory;
  const packages = 'systemd,systemd-sysv,dbus,libnss-systemd,git,openssl,ca-certificates,curl,procps';
  await must(['debootstrap', '--variant=minbase', `--include=${packages}`, 'bookworm', directory]);
  // Debian's installer writes it.
  await writeFile(join(directory, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  return directory;
}

export async function must(words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(words);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr || stdout}`);
  return stdout.trim();
}

/** Where npm is, which comes with Node.js and not with the package of it that the project installs. */
export const npmDirectory = async () => dirname(dirname(realpathSync(await must(['sh', '-c', 'command -v npm']))));

/** Certificates that this machine trusts besides those of Node.js, such as a proxy's. */
export const certificates = process.env.NODE_EXTRA_CA_CERTS;

/** Starts the machine: what it writes is gone with it. */
export async function startMachine(): Promise<Machine> {
  const directory = await mkdtemp(join(tmpdir(), 'chat-machine-'));
  const repository = join(directory, 'repository');
  await copyProject(repository, { withBuilt: false });
  const git = [
    'git',
    '-C',
    repository,
    '-c',
    'user.name=test',
    '-c',
    'user.email=test@example.org',
    '-c',
    'commit.gpgsign=false',
  ];
  await must([...git, 'init', '--quiet']);
  await must([...git, 'add', '--all']);
  await must([...git, 'commit', '--quiet', '--message', 'copy']);

  const npm = await npmDirectory();
  const binds = [
    `${process.execPath}:/usr/local/bin/node`,
    `${npm}:/usr/local/lib/node_modules/npm`,
    `${repository}:/srv/chat-service.git`,
    `${directory}:/mnt`,
    ...(certificates ? [`${realpathSync(certificates)}:/etc/ssl/extra.pem`] : []),
  ];
  const name = `docs-${process.pid}`;
  const options = ['--volatile=overlay', '--boot', '--register=no', '--keep-unit', '--console=pipe', '--quiet', '-M', name];
  const words = ['-D', await debian(), ...options, ...binds.map((bind) => `--bind-ro=${bind}`)];
  const child = spawn('systemd-nspawn', words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  const leader = await leaderOf(child, 'systemd');
  const inside = ['nsenter', '--target', leader, '--all'];
  for (const deadline = Date.now() + 60_000; ; await delay(200)) {
    const { stdout } = await runCommand([...inside, 'systemctl', 'is-system-running']);
    if (/running|degraded/.test(stdout)) break;
    if (Date.now() > deadline) throw new Error(`systemd does not start: ${stdout}`);
  }
  for (const tool of ['npm', 'npx'])
    await must([...inside, 'ln', '-s', `../lib/node_modules/npm/bin/${tool}-cli.js`, `/usr/local/bin/${tool}`]);

  return {
    run: async (script, dialogue) => {
      await writeFile(join(directory, 'script.sh'), script);
      const paths = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PAGER=cat SYSTEMD_PAGER=cat';
      const environment = certificates ? `${paths} NODE_EXTRA_CA_CERTS=/etc/ssl/extra.pem` : paths;
      const command = `${inside.join(' ')} env -i ${environment} bash /mnt/script.sh`;
      return atTerminal(command, dialogue, { cwd: '/' });
    },
    close: async () => {
      await runCommand([...inside, 'systemctl', 'poweroff', '--force', '--force']);
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The process that is the first one inside: a child of systemd-nspawn which runs this program. */
export async function leaderOf(child: ChildProcess, program: string): Promise<string> {
  for (const deadline = Date.now() + 30_000; ; await delay(100)) {
    const found = readdirSync('/proc').find((entry) => {
      if (!/^\d+$/.test(entry)) return false;
      const stat = existsSync(`/proc/${entry}/stat`) ? readFileSync(`/proc/${entry}/stat`, 'utf8') : '';
      return stat.includes(`(${program}) `) && stat.split(') ')[1]?.split(' ')[1] === String(child.pid);
    });
    if (found !== undefined) return found;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('systemd-nspawn has started nothing.');
  }
}
