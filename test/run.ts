import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/*
 * `npm test`: checks style and types while the fast tests run, because tests often wait. It prints
 * the output of a failed check after that of the tests, and ends with 1 if anything failed. Vitest
 * gets the arguments.
 */

/** The result of a script of package.json. */
type Check = { name: string; hasPassed: boolean; output: string };

/** Runs scripts one after the other, because each of them keeps several cores busy. */
async function runChecks(names: string[]): Promise<Check[]> {
  const checks: Check[] = [];
  for (const name of names) {
    const child = spawn('node', ['--run', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    checks.push({ name, hasPassed: code === 0, output: stdout + stderr });
  }
  return checks;
}

// Vitest gets Ctrl-C as well, and ends the processes of its tests. This process waits for it.
process.on('SIGINT', () => {});
const tests = spawn('vitest', ['run', '--project', 'fast', ...process.argv.slice(2)], { stdio: 'inherit' });
const [[status], checks] = await Promise.all([once(tests, 'close'), runChecks(['lint', 'types'])]);
const failed = checks.filter(({ hasPassed }) => !hasPassed);
for (const { name, output } of failed) process.stderr.write(`\n== npm run ${name}\n${output}\nFailed: ${name}\n`);
process.exitCode = status === 0 && failed.length === 0 ? 0 : 1;
