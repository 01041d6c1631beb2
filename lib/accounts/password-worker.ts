import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hash, verify } from './bcrypt.ts';
import type { PasswordJob } from './password-pool.ts';

/* Run in a thread by `password-pool.ts`: computes one job after the other, when nothing else wants the processor. */
yieldToOthers();
parentPort?.on('message', ({ plain, hashed, cost, isNew }: PasswordJob) =>
  parentPort?.postMessage(isNew ? hash(plain, cost) : verify(plain, hashed, cost)),
);

function yieldToOthers(): void {
  try {
    // Linux gives each thread a priority of its own, by an id that Node.js does not tell.
    const [, id] = /task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (id) setPriority(Number(id), constants.priority.PRIORITY_LOW);
  } catch {
    // Where there is no such file, all threads have the same priority.
  }
}
