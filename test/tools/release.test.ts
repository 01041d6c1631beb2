import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const check = (tag: string, publisher = '') =>
  runCommand(['node', 'tools/release.ts', tag], { environment: { GITHUB_REPOSITORY: publisher } });

it('a tag may be released if the packages and the changes agree with it', async () => {
  expect(await check(`v${version}`)).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('a tag may be released only by the repository that the client names', async () => {
  expect((await check(`v${version}`, 'chat-service/chat-service')).code).toBe(0);
  expect(await check(`v${version}`, 'someone/fork')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('and someone/fork publishes it.'),
  });
});

it.each([['v99.0.0'], ['0.1.0'], ['v']])('the tag %s may not be released', async (tag) => {
  const { code, stderr } = await check(tag);
  expect(code).toBe(1);
  expect(stderr).toContain(`package.json has the version ${version}, and the tag is ${tag}.`);
  expect(stderr).toContain('CHANGELOG.md has no heading');
});
