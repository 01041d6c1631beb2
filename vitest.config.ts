import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.ts';
import { variants } from './test/variants.ts';

const { CI, VARIANT = '' } = process.env;
const variant = variants[VARIANT];
const project = (name: string, include: string[], more = {}) => ({ extends: true as const, test: { name, include, ...more } });
const named = (suffix: string) => ['test', 'packages/*/test'].map((folder) => `${folder}/**/*${suffix}`);

// `npm test` runs the first project, and `npm run test:ci` the others. The last replaces modules.
const usual = [
  project('fast', named('.test.ts'), { exclude: named('.{ci,isolated}.test.ts') }),
  project('ci', named('.ci.test.ts')),
  project('isolated', named('.isolated.test.ts'), { isolate: true, experimental: { viteModuleRunner: true } }),
];

export default defineConfig({
  // Tests use the source of the client, because `dist/` exists only while the package is packed.
  ssr: { resolve: { conditions: ['chat-service-source', ...defaultServerConditions] } },
  test: {
    projects: variant ? [project(VARIANT, variant.include, { env: variant.env })] : usual,
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/environment.ts',
    reporters: ['./test/support/contract-coverage.ts', ...(CI ? ['./test/support/ci-report.ts'] : []), 'default'],
    isolate: false,
    // Node.js imports the files, as in production. Their URLs differ in each run, so a cache of
    // compiled code would only grow.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: { NODE_DISABLE_COMPILE_CACHE: '1' },
    sequence: { sequencer: SlowestFirst },
    // Tests often wait for other processes.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 600_000, // A busy machine can slow a test twentyfold; only a hang takes longer.
    hookTimeout: 600_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
