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

/** A Debian with systemd, Node.js, npm and a repository of the project at /srv/chat-service.git. */
export type Machine = {
  /**
   * Runs a script as root at a terminal. When the screen shows a prompt, its answer is typed, each
   * once.
   */
  run: (script: string, dialogue: Dialogue) => Promise<{ code: number; screen: string }>;
  close: () => Promise<void>;
};

/**
 * The first missing requirement to start a machine or to install Debian for it; empty if nothing is
 * missing.
 */
export function missingForMachine(): string {
  if (process.getuid?.() !== 0) return 'root';
  return ['systemd-nspawn', 'debootstrap', 'script', 'git'].find((tool) => !hasCommand(tool)) ?? '';
}

/** True if there is a command of this name. */
export const hasCommand = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

/**
 * A Debian with the packages that the commands need. It is created once, because that takes a
 * minute.
 */
export async function debian(): Promise<string> {
  const directory = resolve(process.env.DOCS_DEBIAN ?? 'node_modules/.cache/docs-debian');
  if (existsSync(join(directory, 'usr/bin/git'))) return directory;
  const packages = 'systemd,systemd-sysv,dbus,libnss-systemd,git,openssl,ca-certificates,curl,procps';
  await must(['debootstrap', '--variant=minbase', `--include=${packages}`, 'bookworm', directory]);
  // Debian's installer would write it.
  await writeFile(join(directory, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  return directory;
}

export async function must(words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(words);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr || stdout}`);
  return stdout.trim();
}

/**
 * The directory of npm. It comes with Node.js, but not with the npm package of Node.js that the
 * project installs.
 */
export const npmDirectory = async () => dirname(dirname(realpathSync(await must(['sh', '-c', 'command -v npm']))));

/** Further certificates that this machine trusts, such as a proxy's. */
export const certificates = process.env.NODE_EXTRA_CA_CERTS;

/** Starts the machine. Its changes are discarded at its end. */
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

/** The first process inside the container: the child of systemd-nspawn that runs this program. */
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
