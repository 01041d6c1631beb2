import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EJSON } from 'bson';
import type { Tasks } from './worker/main.ts';

/** A process that runs the service's code on its own database. */
export type Worker = {
  /** Runs a task of `worker/main.ts`. */
  ask<Name extends keyof Tasks>(task: Name, ...input: Parameters<Tasks[Name]>): Promise<Awaited<ReturnType<Tasks[Name]>>>;
  environment: Readonly<Record<string, string>>;
};

/** The root of this checkout. */
export const project = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs `use` with a worker, whose database is dropped afterwards. Its code comes from this checkout
 * or another one.
 */
export function withWorker<T>(
  uri: string,
  use: (worker: Worker) => Promise<T>,
  settings: Record<string, string> = {},
  directory = project,
): Promise<T> {
  return withProcesses([{ ...environmentOf(uri), ...settings }], ([worker]) => use(worker as Worker), directory);
}

/** Runs `use` with several workers, whose databases are dropped afterwards. */
export const withWorkers = <T>(uri: string, count: number, use: (workers: Worker[]) => Promise<T>): Promise<T> =>
  withProcesses(
    Array.from({ length: count }, () => environmentOf(uri)),
    use,
  );

async function withProcesses<T>(
  environments: Record<string, string>[],
  use: (workers: Worker[]) => Promise<T>,
  directory = project,
): Promise<T> {
  const started = environments.map((environment) => start(environment, directory));
  try {
    return await use(started.map(({ worker }) => worker));
  } finally {
    await Promise.all(started.map(({ end }) => end()));
  }
}

const environmentOf = (uri: string) => ({
  MONGODB_URI: uri,
  MONGODB_DATABASE: `chat_bench_${randomBytes(6).toString('hex')}`,
  MONGODB_POOL_SIZE: '20',
  BCRYPT_COST: '4',
  RATE_LIMITS: 'off',
  // Logs as on Lambda, but the output is discarded, so the speed of the terminal does not matter.
  LOG_LEVEL: 'info',
});

function start(environment: Record<string, string>, directory: string): { worker: Worker; end: () => Promise<unknown> } {
  const child = fork(join(directory, 'tools/bench/worker/main.ts'), {
    cwd: directory,
    env: { ...process.env, ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  let queue: Promise<unknown> = Promise.resolve();
  const ask = async (task: string, input: unknown[]) => {
    // Extended JSON preserves ids and dates.
    child.send(EJSON.stringify({ task, input }, { relaxed: false }));
    const [text] = await Promise.race([
      once(child, 'message'),
      ended.then(([code]) => Promise.reject(new Error(`A worker ended with ${code}`))),
    ]);
    const answer = EJSON.parse(text);
    if ('error' in answer) throw new Error(`${task}: ${answer.error}`);
    return answer.value;
  };
  const enqueue = (task: string, input: unknown[]) => {
    queue = queue.catch(() => {}).then(() => ask(task, input));
    return queue;
  };
  return {
    worker: { environment, ask: ((task: string, ...input: unknown[]) => enqueue(task, input)) as Worker['ask'] },
    end: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
