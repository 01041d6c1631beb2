import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that say nothing about another database: of the embedded one, of what the page looks like and weighs, and of threads. */
const withoutTheDatabase = [
  'packages/embedded-mongodb/**',
  'packages/web/test/{accessibility,budgets}.test.ts',
  'test/lib/accounts/password-pool.test.ts',
];

export default defineConfig({
  test: {
    // What takes minutes, and needs root, runs by `npm run test:docs -- all`.
    include: [
      'test/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      ...(process.env.TEST_DOCS === 'all' ? ['test/docs/*.all.ts'] : []),
    ],
    exclude: process.env.MONGODB_URI ? withoutTheDatabase : [],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/environment.ts',
    reporters: ['default', './test/support/contract-coverage.ts'],
    // Tests wait for the database and for other processes about as often as they compute.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is waited for may take long on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
