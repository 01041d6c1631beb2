import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A database process that tests can kill. */
export type DatabaseProcess = {
  readonly pid: number;
  readonly uri: string;
  /** Ends it immediately, without cleanup. */
  kill(): Promise<void>;
  /** Stops all of its threads. After that, only `kill` may be called. */
  freeze(): Promise<void>;
};

/** The script of the real database. */
export const databaseFileName = fileURLToPath(new URL('../../bin/serve.ts', import.meta.url));
/** The script of a faulty database, which proves that a test detects the fault. */
export const carelessMain = fileURLToPath(new URL('./careless-main.ts', import.meta.url));

/** Starts a database process. `main` is one of the scripts above. */
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

/** The resident memory of a process. */
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

/** True if all threads are stopped. A thread in a sync stops only after it. */
function isStopped(pid: number): boolean {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.every((thread) => / T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').replace(/\(.*\)/s, '')));
}
