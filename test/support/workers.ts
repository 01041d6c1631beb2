import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Call, Reply } from './transports.ts';

/** Several processes that serve calls in turns, each with a database client of its own. */
export type Workers = { call: Call; stop: () => void };

/** Starts them, with settings of their own, and has each answer a first call, so that none lags behind when it matters. */
export async function startWorkers(count: number, settings: Record<string, string> = {}): Promise<Workers> {
  const pending = new Map<number, (reply: Reply) => void>();
  const children = await Promise.all(Array.from({ length: count }, () => startWorker(pending, settings)));
  let calls = 0;
  const call: Call = (method, path, sent = {}) =>
    new Promise((resolve) => {
      const id = calls++;
      pending.set(id, resolve);
      children[id % count]?.send({ id, method, path, sent });
    });
  await Promise.all(children.map(() => call('GET', '/api/directory?limit=1', { token: 'a'.repeat(32) })));
  return { call, stop: () => children.forEach((child) => void child.disconnect()) };
}

async function startWorker(
  pending: Map<number, (reply: Reply) => void>,
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const child = fork(new URL('./worker.ts', import.meta.url), { execArgv: [], env: { ...process.env, ...settings } });
  await once(child, 'message');
  child.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
    pending.get(id)?.(reply);
    pending.delete(id);
  });
  return child;
}
