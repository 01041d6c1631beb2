import fc from 'fast-check';
import { afterAll } from 'vitest';
import { testSeed } from '../../packages/embedded-mongodb/test/support/random.ts';
import { endFile, restoreProcess } from './worker.ts';

/* Runs before each test file. */
await restoreProcess();
fc.configureGlobal({ seed: testSeed | 0 });
afterAll(endFile);
