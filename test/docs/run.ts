import { spawnSync } from 'node:child_process';

/*
 * `npm run test:docs` runs the documentation's code blocks that `npm run test:ci` runs.
 * `npm run test:docs -- all`, before each release, also runs the slow ones, as root. Each file here
 * states its requirements. The title of a skipped test names the missing one.
 */
const environment = process.argv[2] === 'all' ? { VARIANT: 'docs' } : {};
const { status } = spawnSync('vitest', ['run', 'test/docs'], { stdio: 'inherit', env: { ...process.env, ...environment } });
process.exitCode = status ?? 1;
