import { afterAll } from 'vitest';
import { endFile, restoreProcess } from './worker.ts';

/* Runs before each test file. */
await restoreProcess();
afterAll(endFile);
