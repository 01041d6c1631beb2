import { parentPort } from 'node:worker_threads';
import { hash, verify } from './bcrypt.ts';
import type { PasswordJob } from './password-pool.ts';

/* Run in a thread by `password-pool.ts`: computes one job after the other. */
parentPort?.on('message', ({ plain, hashed, cost, isNew }: PasswordJob) =>
  parentPort?.postMessage(isNew ? hash(plain, cost) : verify(plain, hashed, cost)),
);
