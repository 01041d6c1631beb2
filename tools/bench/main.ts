import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compareWith } from './against.ts';
import { attacks } from './attacks.ts';
import { baselineFile, baselineOf, isSlower, readBaseline } from './baseline.ts';
import { lastRelease } from './checkout.ts';
import { type Figure, reachesGoal, type Suite } from './figure.ts';
import { growth } from './growth.ts';
import { hanging } from './hanging.ts';
import { http, serve } from './http.ts';
import { readOptions } from './options.ts';
import { push } from './push.ts';
import { tableOf } from './table.ts';

/*
 * `npm run bench -- [SUITE...] [--quick] [--messages N] [--repeats N] [--baseline]` measures the
 * named suites, or all. With MONGODB_URI, `growth` and `http` use that database. The other suites
 * start `npm run serve`, which has its own. Prints tables and writes them to
 * tools/bench/results.json. With `--baseline`, writes the ratios to tools/bench/baseline.json.
 * Exits with 2 if a goal is missed or a ratio is worse than the baseline's.
 *
 * `npm run bench -- serve --against COMMIT` compares the server with another commit, an installed
 * directory, or the `last-release`.
 */

const suites: Readonly<Record<string, Suite>> = { growth, http, serve, push, attacks, hanging };

const { bench, names, isBaseline, against } = options();
const before = readBaseline();
const results: Record<string, Figure[]> = {};
for (const [name, measure] of against === undefined ? chosenSuites() : await comparison(against)) {
  const figures = await measure(bench);
  bench.progress('');
  const baseline = before[name] ?? {};
  console.log(`\n${name}\n${tableOf(figures, baseline)}`);
  results[name] = figures;
  if (figures.some((figure) => reachesGoal(figure) === false || isSlower(figure, baseline[figure.name]))) process.exitCode = 2;
}
const circumstances = {
  at: new Date(),
  node: process.version,
  processor: cpus()[0]?.model,
  processors: cpus().length,
  database: process.env.MONGODB_URI ? 'MONGODB_URI' : 'embedded',
  ...bench,
};
write(fileURLToPath(new URL('./results.json', import.meta.url)), { circumstances, results });
if (isBaseline) {
  const now = Object.entries(results).map(([name, figures]) => [name, { ...before[name], ...baselineOf(figures) }]);
  write(baselineFile, { ...before, ...Object.fromEntries(now) });
}

function chosenSuites(): [string, Suite][] {
  return names.map((name) => [name, suites[name] as Suite]);
}

async function comparison(commit: string): Promise<[string, Suite][]> {
  const other = commit === 'last-release' ? await lastRelease() : commit;
  if (other === undefined) {
    console.log('There is no release to compare with yet.');
    return [];
  }
  return [[`against ${other}`, (bench) => compareWith(other, bench)]];
}

function options() {
  try {
    return readOptions(process.argv.slice(2), Object.keys(suites));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

function write(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
