import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { embedded } from './embedded.ts';
import { type Bench, type Figure, reachesGoal, type Suite, tableOf } from './figure.ts';

/*
 * Measures: `npm run bench -- [SUITE...] [--messages N] [--repeats N]`, all suites if none is named. With ENGINE_URI the same is
 * measured in the MongoDB that it names. Prints a table and writes it to bench/results.json.
 */

const SUITES: Readonly<Record<string, Suite>> = { embedded };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string', default: '1000000' },
    repeats: { type: 'string', default: '2000' },
  },
});

const bench: Bench = {
  messages: Number(values.messages),
  repeats: Number(values.repeats),
  progress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
    else if (text !== '') process.stderr.write(`${text}\n`);
  },
};
const names = positionals.length > 0 ? positionals : Object.keys(SUITES);
const unknown = names.find((name) => !Object.hasOwn(SUITES, name));
if (unknown !== undefined) {
  console.error(`There is no suite ${unknown}. There are: ${Object.keys(SUITES).join(', ')}.`);
  process.exit(1);
}

const results: Record<string, Figure[]> = {};
for (const name of names) {
  const figures = await (SUITES[name] as Suite)(bench);
  bench.progress('');
  console.log(`\n${name}\n${tableOf(figures)}`);
  results[name] = figures;
  if (figures.some((figure) => reachesGoal(figure) === false)) process.exitCode = 2;
}
const circumstances = {
  at: new Date(),
  node: process.version,
  processor: cpus()[0]?.model,
  processors: cpus().length,
  ...values,
};
writeFileSync(
  fileURLToPath(new URL('./results.json', import.meta.url)),
  `${JSON.stringify({ circumstances, results }, null, 2)}\n`,
);
