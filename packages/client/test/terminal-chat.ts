import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Account } from '../../../test/support/accounts.ts';

/** The terminal chat of the examples, operated like by a user. */
export type Terminal = {
  /** Types a line. */
  type: (line: string) => void;
  /** The printed lines. */
  lines: () => string[];
  end: () => Promise<void>;
};

/** Bundles the program. Returns functions to start and to delete it. */
export async function buildTerminalChat() {
  const folder = await mkdtemp(join(tmpdir(), 'terminal-chat-'));
  const program = join(folder, 'terminal-chat.js');
  await build({
    entryPoints: [fileURLToPath(new URL('../examples/terminal-chat.ts', import.meta.url))],
    alias: { 'chat-service-client': fileURLToPath(new URL('../src/index.ts', import.meta.url)) },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
  const start = (url: string, { token }: Pick<Account, 'token'>, room: string): Terminal => {
    const env = { ...process.env, CHAT_URL: url, ...(token !== '' && { CHAT_TOKEN: token }) };
    return terminalOf(spawn('node', [program, room], { cwd: folder, env, stdio: 'pipe' }));
  };
  return { start, remove: () => rm(folder, { recursive: true }) };
}

function terminalOf(child: ChildProcess): Terminal {
  let screen = '';
  const collect = (chunk: Buffer) => {
    screen += chunk.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  return {
    type: (line) => child.stdin?.write(`${line}\n`),
    lines: () => screen.split('\n').filter((line) => line !== ''),
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'close');
    },
  };
}
