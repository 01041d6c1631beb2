import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';

type Step = { name?: string; run?: string; uses?: string };
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

it('a release publishes irrevocable parts last, and a second run continues where the first one ended', () => {
  const { jobs } = load(readFileSync('.github/workflows/release.yml', 'utf8')) as { jobs: { publish: { steps: Step[] } } };
  const runs = jobs.publish.steps.map(({ run = '', uses = '' }) => run || uses);
  const at = (what: RegExp) => runs.findIndex((run) => what.test(run));
  const order = [
    /^npm run test:ci/,
    /^npm whoami/,
    /^npm pack .*--dry-run/,
    /^docker\/login-action/,
    /docker push "\$image"/,
    /npm publish .*--provenance/,
    /docker push "\$image:latest"/,
  ].map(at);
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(runs[order[5] ?? 0]).toMatch(/^npm view "chat-service-client@\$\{GITHUB_REF_NAME#v\}" version \|\|/);
  // All that pushes an image is in the two steps.
  expect(runs.filter((run) => run.includes('docker push'))).toHaveLength(2);
});
