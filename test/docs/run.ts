import { spawnSync } from 'node:child_process';

/*
 * `npm run test:docs`: the blocks of the documentation that `npm run test:all` runs. `npm run test:docs -- all`, before each release: those as well that
 * take longer, as root of a machine with what each file here needs; what is missing stands in the title of what is left out.
 */
const environment = process.argv[2] === 'all' ? { TEST_DOCS: 'all' } : {};
const { status } = spawnSync('vitest', ['run', 'test/docs'], { stdio: 'inherit', env: { ...process.env, ...environment } });
process.exitCode = status ?? 1;
