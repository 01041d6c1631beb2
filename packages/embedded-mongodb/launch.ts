import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isHeld } from './src/storage/file/holder.ts';
import { DatabaseStartError } from './src/storage/file/start-error.ts';

/** A database that runs in a separate process. */
export type DatabaseProcess = {
  /** The connection string of the socket, which only its owner can open. */
  readonly uri: string;
  readonly pid: number;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
  /**
   * A synchronous `close` for `process.on('exit')`. Returns when the data directory is free, or
   * after five seconds.
   */
  closeNow(): void;
};

/** Options of a database process. */
export type LaunchOptions = {
  readonly dataDir: string;
  /**
   * A port on the loopback interface in addition to the socket; 0 for any free one. Every account
   * of the machine can connect to it.
   */
  readonly port?: number | undefined;
};

type Announcement = { readonly ready: string } | { readonly error: string; readonly code?: DatabaseStartError['code'] };

const closeMillis = 5000;
/** Writing back a full log takes seconds on a slow disk. */
const killMillis = 30_000;

/**
 * On a machine with much memory, V8 would otherwise let the heap grow to several times the live
 * data.
 */
const execArgv = ['--max-semi-space-size=4', '--heap-growing-percent=20'];

/**
 * Starts a database in its own process group, so that Ctrl-C reaches only the parent, which then
 * closes it. If the parent is killed, the database closes itself.
 */
export async function launchDatabase({ dataDir, port }: LaunchOptions): Promise<DatabaseProcess> {
  const main = fileURLToPath(new URL('./bin/serve.ts', import.meta.url));
  const args = ['--data-dir', dataDir, ...(port === undefined ? [] : ['--port', String(port)])];
  const child = fork(main, args, { detached: true, execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const announced = await new Promise<Announcement>((resolve) => {
    child.once('message', (message) => resolve(message as Announcement));
    child.once('error', (error) => resolve({ error: `The database process could not be started: ${error.message}.` }));
    child.once('exit', (code, signal) => resolve({ error: `The database process ended at once (${signal ?? `exit ${code}`}).` }));
  });
  if ('error' in announced) throw new DatabaseStartError(announced.code ?? 'FAILED', announced.error);
  const end = () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  };
  return {
    uri: announced.ready,
    pid: child.pid as number,
    ended,
    async close() {
      end();
      // A process that loops in a damaged file would never end by itself.
      const kill = setTimeout(() => child.kill('SIGKILL'), killMillis);
      await ended;
      clearTimeout(kill);
    },
    closeNow() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      end();
      // The child is not reaped while this thread sleeps, so its pid stays valid. Its lock shows if
      // it runs.
      for (const deadline = Date.now() + closeMillis; isHeld(dataDir) && Date.now() < deadline; ) sleep(10);
      if (isHeld(dataDir)) child.kill('SIGKILL');
    },
  };
}

function sleep(millis: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);
}
