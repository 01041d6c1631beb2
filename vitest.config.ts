import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { fast, http, isolated, slow } from './test/support/projects.ts';

export default defineConfig({
  // Tests use the source of the client, because `dist/` exists only while the package is packed.
  ssr: { resolve: { conditions: ['chat-service-source', ...defaultServerConditions] } },
  test: {
    projects: [
      { extends: true, test: { name: 'fast', ...fast } },
      { extends: true, test: { name: 'http', ...http, env: { TRANSPORTS: 'http' } } },
      { extends: true, test: { name: 'thorough', ...slow } },
      { extends: true, test: { name: 'thorough-isolated', ...isolated } },
    ],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/environment.ts',
    reporters: ['default', './test/support/contract-coverage.ts', ...(process.env.CI ? ['./test/support/ci-report.ts'] : [])],
    isolate: false,
    // Tests wait for the database and for other processes about as often as they compute.
    maxWorkers: availableParallelism() + 1,
    retry: process.env.CI ? 1 : 0,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is waited for may take long on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
