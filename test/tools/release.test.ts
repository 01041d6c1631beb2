import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const check = (...words: string[]) => runCommand(['node', 'tools/release.ts', ...words]);

it('a tag may be released that the packages and the changes agree with', async () => {
  expect(await check(`v${version}`)).toEqual({ code: 0, stdout: '', stderr: '' });
});

it.each([['v99.0.0'], ['0.1.0'], ['v']])('the tag %s may not', async (tag) => {
  const { code, stderr } = await check(tag);
  expect(code).toBe(1);
  expect(stderr).toContain(`package.json has the version ${version}, and the tag is ${tag}.`);
  expect(stderr).toContain('CHANGELOG.md has no heading');
});
