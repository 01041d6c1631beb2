import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/*
 * Measures how much of the embedded database the service's own suite runs: `npm run coverage:database [-- --lines] [-- DIRECTORY]`.
 * The tests of the package itself are left out. Prints each file's share, with `--lines` also the lines that nothing ran, and ends
 * with 1 below the goal. DIRECTORY holds the coverage of an earlier run, which is then read instead of running the suite.
 */

const root = fileURLToPath(new URL('../', import.meta.url));
const packageUrl = pathToFileURL(join(root, 'packages/embedded-mongodb/')).href;
/** Lines of code, in hundredths, that the service has to run. */
const goal = 85;

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number };
type Script = { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] };
type Report = { readonly result: readonly Script[]; readonly 'source-map-cache'?: Readonly<Record<string, unknown>> };
type Line = { readonly start: number; readonly end: number; readonly text: string };

const linesOf = new Map<string, ReadonlyMap<number, Line>>();

const words = process.argv.slice(2);
const earlier = words.find((word) => !word.startsWith('--'));
const directory = earlier ?? mkdtempSync(join(tmpdir(), 'database-coverage-'));
try {
  if (earlier === undefined) runSuite(directory);
  report(executedLines(directory));
} finally {
  if (earlier === undefined) rmSync(directory, { recursive: true });
}

function runSuite(coverage: string): void {
  // Functions out of a compile cache are counted less precisely.
  const env = { ...process.env, NODE_V8_COVERAGE: coverage, NODE_DISABLE_COMPILE_CACHE: '1', MONGODB_URI: '' };
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  spawnSync(process.execPath, [vitest, 'run', 'test/', 'packages/client/', '--exclude', 'packages/embedded-mongodb/**'], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
}

/** Of each file of the package, the lines of code that some process ran, by their number. */
function executedLines(coverage: string): Map<string, Map<number, boolean>> {
  const files = new Map<string, Map<number, boolean>>(sources().map((file) => [file, new Map()]));
  for (const [file, seen] of files) for (const [number] of codeLines(file)) seen.set(number, false);
  for (const name of readdirSync(coverage)) {
    const { result, 'source-map-cache': transformed = {} } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Report;
    for (const { url, functions } of result) {
      // Code that a test runner has translated has other offsets than the file.
      if (!url.startsWith(packageUrl) || url in transformed) continue;
      const file = fileURLToPath(url);
      const seen = files.get(file);
      if (seen === undefined) continue;
      const ranges = functions.flatMap(({ ranges }) => ranges);
      for (const [number, line] of codeLines(file)) if (!seen.get(number) && isRun(line, ranges)) seen.set(number, true);
    }
  }
  return files;
}

/** The innermost range around a line tells; a line on which anything ran counts as run. */
function isRun({ start, end }: Line, ranges: readonly Range[]): boolean {
  let size = Number.POSITIVE_INFINITY;
  let count = 0;
  for (const range of ranges) {
    const length = range.endOffset - range.startOffset;
    if (range.startOffset > start || range.endOffset < end || length > size) continue;
    size = length;
    count = range.count;
  }
  return count > 0;
}

/** The lines of a file that hold code: without types, comments and blank lines. */
function codeLines(file: string): ReadonlyMap<number, Line> {
  const known = linesOf.get(file);
  if (known !== undefined) return known;
  const stripped = stripTypeScriptTypes(readFileSync(file, 'utf8'));
  const code = stripped.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
  const lines = new Map<number, Line>();
  let offset = 0;
  for (const [i, text] of code.split('\n').entries()) {
    const trimmed = text.trim();
    const start = offset + text.indexOf(trimmed);
    if (trimmed !== '') lines.set(i + 1, { start, end: start + trimmed.length, text: trimmed });
    offset += text.length + 1;
  }
  linesOf.set(file, lines);
  return lines;
}

function sources(): string[] {
  const { stdout } = spawnSync('git', ['ls-files', 'packages/embedded-mongodb'], { cwd: root, encoding: 'utf8' });
  const names = stdout.split('\n').filter((name) => name.endsWith('.ts') && !name.includes('test'));
  return names.map((name) => join(root, name));
}

function report(files: ReadonlyMap<string, ReadonlyMap<number, boolean>>): void {
  let [all, run] = [0, 0];
  for (const [file, lines] of files) {
    const missed = [...lines].filter(([, isRun]) => !isRun).map(([number]) => number);
    all += lines.size;
    run += lines.size - missed.length;
    const share = lines.size === 0 ? 100 : (100 * (lines.size - missed.length)) / lines.size;
    console.log(`${share.toFixed(0).padStart(4)} %  ${String(lines.size).padStart(4)}  ${relative(root, file)}`);
    if (words.includes('--lines') && missed.length > 0) console.log(`              ${missed.join(' ')}`);
  }
  const share = (100 * run) / all;
  console.log(`The service's suite runs ${run} of ${all} lines of code: ${share.toFixed(1)} %; the goal is ${goal} %.`);
  if (share < goal) process.exitCode = 1;
}
