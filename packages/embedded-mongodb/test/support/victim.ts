import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A database process that tests may treat badly. */
export type DatabaseProcess = {
  readonly pid: number;
  readonly uri: string;
  /** Ends it at once, without any chance to tidy up. */
  kill(): Promise<void>;
  /** Stops every thread of it; only `kill` comes after that. */
  freeze(): Promise<void>;
};

/** The database as it is. */
export const databaseFileName = fileURLToPath(new URL('../../bin/serve.ts', import.meta.url));
/** Databases with a fault, which prove that a test would find it. */
export const carelessMain = fileURLToPath(new URL('./careless-main.ts', import.meta.url));

/** Starts a database process; `main` is one of the above. */
export async function forkDatabase(
  dataDir: string,
  main = databaseFileName,
  args: readonly string[] = [],
): Promise<DatabaseProcess> {
  const child = fork(main, ['--data-dir', dataDir, ...args], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const uri = await readyUri(child);
  return {
    pid: child.pid as number,
    uri,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async freeze() {
      child.kill('SIGSTOP');
      while (!isStopped(child.pid as number)) await sleep(0);
    },
  };
}

/** The memory that a process has at the moment. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function readyUri(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('message', ({ ready, error }: { ready?: string; error?: string }) => {
      if (ready === undefined) reject(new Error(error));
      else resolve(ready);
    });
    child.once('exit', (code) => reject(new Error(`the database ended with ${code}`)));
  });
}

/** A thread in the middle of a sync stops only when that is done. */
function isStopped(pid: number): boolean {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.every((thread) => / T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').replace(/\(.*\)/s, '')));
}
