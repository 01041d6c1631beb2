import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    // The embedded database's own tests say nothing about another database.
    exclude: process.env.MONGODB_URI ? ['packages/embedded-mongodb/**'] : [],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/environment.ts',
    reporters: ['default', './test/support/contract-coverage.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
