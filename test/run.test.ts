import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { type CommandEnd, runCommand } from './support/run-command.ts';

const runner = join(import.meta.dirname, 'run.ts');

/** Runs `npm test -- -t rooms` in a project whose checks and tests end with these codes. */
async function testProject(codes: { lint: number; types: number; vitest: number }): Promise<CommandEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'run-'));
  const scripts = {
    lint: `echo lint: ${codes.lint}; exit ${codes.lint}`,
    types: `echo types: ${codes.types}; exit ${codes.types}`,
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts }));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/vitest'), `#!/bin/sh\necho vitest "$@"\nexit ${codes.vitest}\n`, { mode: 0o755 });
  const environment = { PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` };
  const end = await runCommand(['sh', '-c', 'cd "$0" && exec node "$@"', folder, runner, '-t', 'rooms'], { environment });
  await rm(folder, { recursive: true });
  return end;
}

it('npm test passes if style, types and tests pass, and prints the output of the tests alone', async () => {
  const end = await testProject({ lint: 0, types: 0, vitest: 0 });
  expect(end).toEqual({ code: 0, stdout: 'vitest run --project fast -t rooms\n', stderr: '' });
});

it('npm test fails if the tests fail', async () => {
  expect(await testProject({ lint: 0, types: 0, vitest: 1 })).toMatchObject({ code: 1, stderr: '' });
});

it('npm test fails if style or types fail, and prints the output of both last', async () => {
  expect(await testProject({ lint: 1, types: 0, vitest: 0 })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('lint: 1'),
  });
  const { code, stderr } = await testProject({ lint: 1, types: 2, vitest: 0 });
  expect(code).toBe(1);
  expect(stderr.split('\n').filter(Boolean)).toEqual([
    '== npm run lint',
    'lint: 1',
    'Failed: lint',
    '== npm run types',
    'types: 2',
    'Failed: types',
  ]);
});
