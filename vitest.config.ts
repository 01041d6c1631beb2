import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.ts';
import { variants } from './test/variants.ts';

const { CI, VARIANT } = process.env;
const project = (name: string, include: string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include, ...more },
});
const named = (suffix: string) => ['test', 'packages/*/test'].map((folder) => `${folder}/**/*${suffix}`);

// Tests wait for other processes about as often as they compute, those of CI more often.
const workers = availableParallelism() + 1;
const slow = { maxWorkers: workers + 1, sequence: { groupOrder: 1 } };

// The name of a test file says where it runs: `*.test.ts` with `npm test`, `*.ci.test.ts` with `npm run test:ci`.
const usual = [
  project('fast', named('.test.ts'), { exclude: named('.{ci,isolated}.test.ts') }),
  project('ci', named('.ci.test.ts'), slow),
  // These replace a module, so that they need modules of their own.
  project('isolated', named('.isolated.test.ts'), { ...slow, isolate: true }),
];
const variant = VARIANT === undefined ? undefined : variants[VARIANT];

export default defineConfig({
  // Tests use the source of the client, because `dist/` exists only while the package is packed.
  ssr: { resolve: { conditions: ['chat-service-source', ...defaultServerConditions] } },
  test: {
    projects: variant ? [project(`${VARIANT}`, variant.include, { env: variant.env })] : usual,
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/environment.ts',
    // The last one has the last word: the summary.
    reporters: ['./test/support/contract-coverage.ts', ...(CI ? ['./test/support/ci-report.ts'] : []), 'default'],
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    maxWorkers: workers,
    retry: CI ? 1 : 0,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
