import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

/*
 * `npm run test:nightly`: the long versions of the tests, which take hours. It goes on after a
 * failure, and ends with 1 if there was one. Other runs use a fixed seed, so that a change fails
 * only for its own faults. Here, each step draws a new `SEED` and prints it.
 */

/** How often the usual tests run again, which shows tests that fail now and then. */
const repetitions = 10;

/** The sizes of the tests that have a random part. */
const sizes = {
  CURSOR_MODEL_RUNS: '30000',
  DAMAGED_FILES: '400',
  EXPORTED_STORES: '200',
  FEED_CHANGES: '6000',
  FUZZ_MESSAGES: '200000',
  FUZZ_REQUESTS: '20000',
  KEYBOARD_TASKS: 'all',
  KILLS: '200',
  LOOKS: 'all',
  PRESS_TURNS: '200',
  MCP_SENDS: '500',
  MODEL_RUNS: '300',
  OUTBOX_RUNS: '200',
  RESCUES: '2000',
  SCROLLED: '60000',
  SEARCH_CASES: '2000',
  SENDS: '3200',
  SOAK_SECONDS: '600',
  TYPING_TURNS: '1000',
};

type Step = { name: string; environment?: Record<string, string> };

const steps: Step[] = [
  { name: 'over HTTP', environment: { VARIANT: 'http' } },
  { name: 'with an object store', environment: { VARIANT: 'object-store' } },
  { name: 'on damaged databases', environment: { VARIANT: 'damage', DAMAGES: '10000' } },
  { name: 'the rules of cdk-nag', environment: { VARIANT: 'cdk-nag' } },
  { name: 'the bench', environment: { VARIANT: 'bench' } },
  { name: 'in Firefox and WebKit', environment: { VARIANT: 'browsers' } },
  { name: 'with large numbers', environment: sizes },
  ...Array.from({ length: repetitions }, (_, at) => ({ name: `again (${at + 1} of ${repetitions})` })),
];

const { MONGODB_URI, ...withoutDatabase } = process.env;
if (MONGODB_URI) steps.push({ name: 'on the database of MONGODB_URI', environment: { MONGODB_URI } });

const failed = steps.filter(({ name, environment = {} }) => {
  const SEED = process.env.SEED ?? String(randomInt(2 ** 32));
  process.stdout.write(`\n== ${name} (SEED=${SEED})\n`);
  const env = { ...withoutDatabase, ...environment, SEED };
  const { status } = spawnSync('vitest', ['run'], { stdio: 'inherit', env });
  return status !== 0;
});
for (const { name } of failed) process.stderr.write(`Failed: ${name}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
