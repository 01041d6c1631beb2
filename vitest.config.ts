import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // With another database at hand, the embedded one's own tests have nothing to say about it.
    exclude: process.env.MONGODB_URI ? ['test/embedded/**'] : [],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/environment.ts',
    reporters: ['default', './test/support/reached.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
