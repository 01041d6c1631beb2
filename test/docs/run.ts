import { spawnSync } from 'node:child_process';

/*
 * `npm run test:docs`: the blocks of the documentation that `npm run test:ci` runs. `npm run test:docs -- all`, before each
 * release: those as well that take longer, as root of a machine with what each file here needs. The title of a skipped test
 * says what is missing.
 */
const environment = process.argv[2] === 'all' ? { VARIANT: 'docs' } : {};
const { status } = spawnSync('vitest', ['run', 'test/docs'], { stdio: 'inherit', env: { ...process.env, ...environment } });
process.exitCode = status ?? 1;
