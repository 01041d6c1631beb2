import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { freePort } from '../../tools/harness/service.ts';
import type { Block } from './document-blocks.ts';

/** A copy of the project, in which blocks of the documentation run. */
export type Clone = {
  /**
   * Runs a block at a terminal, answers its prompts, and returns the output. A server runs until
   * the next one starts.
   */
  run: (block: Block, words?: Record<string, string>) => Promise<{ code: number | null; screen: string }>;
  close: () => Promise<void>;
};

/**
 * The directory of Node.js and npm. Without it, this process's are used, and `npm ci` does nothing,
 * because the packages are installed.
 */
export type Toolchain = { bin: string };

const left = new Set(['node_modules', '.git', 'data', '.serverless', '.esbuild', 'gallery', 'coverage']);

/**
 * Copies the files that git would contain and, if requested, the files that an installation has
 * built.
 */
export const copyProject = (target: string, { withBuilt }: { withBuilt: boolean }): Promise<void> =>
  cp('.', target, {
    recursive: true,
    filter: (path) => {
      const name = basename(path);
      if (name === 'dist') return withBuilt && relative('.', path) === join('packages', 'web', 'dist');
      return !left.has(name) && !name.endsWith('.token') && !name.startsWith('.env');
    },
  });

/** Creates a clone. With a `toolchain`, it installs its own packages. */
export async function makeClone(toolchain?: Toolchain): Promise<Clone> {
  const directory = await mkdtemp(join(tmpdir(), 'chat-clone-'));
  const project = join(directory, 'chat-service');
  await copyProject(project, { withBuilt: toolchain === undefined });
  const bin = join(directory, 'bin');
  await mkdir(bin);
  if (toolchain === undefined) {
    await symlink(join(process.cwd(), 'node_modules'), join(project, 'node_modules'));
    await writeFile(join(bin, 'npm'), `#!/bin/sh\n[ "$1" = ci ] && exit\nPATH=\${PATH#*:} exec npm "$@"\n`);
    await chmod(join(bin, 'npm'), 0o755);
  }
  const port = await freePort();
  const own = toolchain?.bin ?? dirname(process.execPath);
  const path = [bin, own, ...(process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))];
  const settings = Object.entries(process.env).filter(([name]) =>
    /^(LANG|LC_|TERM|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)/i.test(name),
  );
  const environment = {
    ...Object.fromEntries(settings),
    PATH: path.join(delimiter),
    HOME: directory,
    TMPDIR: directory,
    HTTP_PORT: port,
    WEBSOCKET_PORT: await freePort(),
    BCRYPT_COST: '4',
    npm_config_update_notifier: 'false',
  };
  const started: ChildProcess[] = [];
  let server: { child: ChildProcess; closed: Promise<unknown> } | undefined;
  const stopServer = async () => {
    if (!server) return;
    if (server.child.exitCode === null) process.kill(-(server.child.pid ?? 0), 'SIGINT');
    await server.closed;
    server = undefined;
  };

  return {
    async run({ code, mark }, words = {}) {
      const isServer = /npm (start|run serve)$|bin\/serve\.ts /m.test(code);
      if (isServer && /npm/.test(code)) await stopServer();
      const file = join(directory, 'block.sh');
      const filled = Object.entries(words).reduce((text, [from, to]) => text.replaceAll(from, to), code);
      await writeFile(file, filled.replaceAll('localhost:3000', `localhost:${port}`));
      const env = { ...environment, ...(mark === 'node24' && { PATH: `${dirname(process.execPath)}:${environment.PATH}` }) };
      const command = isServer ? ['bash', '-e', file] : ['script', '-qec', `bash -e ${file}`, '/dev/null'];
      const [name = '', ...rest] = command;
      const child = spawn(name, rest, { cwd: project, env, stdio: 'pipe', detached: true });
      const closed = once(child, 'close');
      started.push(child);
      let screen = '';
      const typed = ['Password: ', 'Once more: '];
      const ready = new Promise<void>((resolve) => {
        const collect = (chunk: Buffer) => {
          screen += chunk.toString();
          if (typed[0] !== undefined && screen.includes(typed[0])) {
            typed.shift();
            child.stdin.write('open sesame\r');
          }
          // The database prints its address after the copy that it serves.
          if (isServer && /The API is at|copied into[\s\S]*^mongodb:/m.test(screen)) resolve();
        };
        child.stdout.on('data', collect);
        child.stderr.on('data', collect);
      });
      if (!isServer) {
        const [status] = await closed;
        return { code: status as number, screen: screen.replaceAll('\r\n', '\n') };
      }
      const ended = await Promise.race([ready, closed]);
      if (ended) return { code: (ended as [number])[0], screen };
      if (/npm/.test(code)) {
        server = { child, closed };
        return { code: 0, screen };
      }
      process.kill(-(child.pid ?? 0), 'SIGINT');
      await closed;
      return { code: 0, screen };
    },
    async close() {
      await stopServer();
      // Ends processes that remain after a failure.
      for (const { pid = 0, exitCode, signalCode } of started)
        if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
