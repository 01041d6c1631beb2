import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Call } from './transports.ts';
import { startDatabase } from './worker.ts';
import type { CallJob } from './workers/call.ts';

/** Processes that run the same worker, like the instances of a function. */
export type Processes<Job, Result> = {
  /** Sends a job to one of them, by its index. Rejects if the process ends before it answers. */
  ask: (index: number, job: Job) => Promise<Result>;
  /** Sends a job to each of them concurrently, and returns their results. */
  run: (jobs: Job[]) => Promise<Result[]>;
  /** Sends a signal to one of them. */
  signal: (index: number, name: NodeJS.Signals) => void;
  end: () => void;
};

/**
 * Starts `count` processes of `test/support/workers/<worker>.ts` with these settings, and waits
 * until all are ready.
 */
export async function startProcesses<Job, Result>(
  count: number,
  worker: string,
  settings: Record<string, string> = {},
): Promise<Processes<Job, Result>> {
  await startDatabase();
  const script = new URL(`workers/${worker}.ts`, import.meta.url);
  const env = { ...process.env, ...settings };
  const all = Array.from({ length: count }, () => startProcess<Job, Result>(fork(script, { execArgv: [], env })));
  await Promise.all(all.map(({ ready }) => ready));
  const at = (index: number) => all[index % count] as (typeof all)[number];
  return {
    ask: (index, job) => at(index).ask(job),
    run: (jobs) => Promise.all(jobs.map((job, index) => at(index).ask(job))),
    signal: (index, name) => void at(index).child.kill(name),
    end: () => {
      for (const { child } of all) if (child.connected) child.disconnect();
    },
  };
}

/**
 * A call that such processes answer in turn. Each has answered a first one before, so that none is
 * slower than the others.
 */
export async function callThrough(count: number, settings: Record<string, string>): Promise<{ call: Call; end: () => void }> {
  const processes = await startProcesses<CallJob, Awaited<ReturnType<Call>>>(count, 'call', settings);
  const first: CallJob = { method: 'GET', path: '/api/directory?limit=1', sent: { token: 'a'.repeat(32) } };
  await processes.run(Array.from({ length: count }, () => first));
  let calls = 0;
  return { call: (method, path, sent = {}) => processes.ask(calls++, { method, path, sent }), end: processes.end };
}

function startProcess<Job, Result>(child: ChildProcess) {
  const pending = new Map<number, { resolve: (result: Result) => void; reject: (error: Error) => void }>();
  const ended = once(child, 'exit').then(([code, signal]) => new Error(`The process ended with ${signal ?? code}`));
  let failure: Error | undefined;
  void ended.then((error) => {
    failure = error;
    for (const { reject } of pending.values()) reject(error);
  });
  child.on('message', ({ id, result }: { id: number; result: Result }) => {
    pending.get(id)?.resolve(result);
    pending.delete(id);
  });
  let jobs = 0;
  return {
    child,
    ready: Promise.race([once(child, 'message'), ended.then((error) => Promise.reject(error))]),
    ask: (job: Job) =>
      new Promise<Result>((resolve, reject) => {
        if (failure) reject(failure);
        const id = jobs++;
        pending.set(id, { resolve, reject });
        child.send({ id, job });
      }),
  };
}
