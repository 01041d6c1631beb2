import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    // With another database at hand, the embedded one's own tests have nothing to say about it.
    exclude: process.env.MONGODB_URI ? ['packages/embedded-mongodb/**'] : [],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/environment.ts',
    reporters: ['default', './test/support/contract-coverage.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
