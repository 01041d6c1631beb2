import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeClone } from '../support/documented-clone.ts';
import { testBlocks } from '../support/documented-clone-tests.ts';
import { must } from '../support/documented-machine.ts';

const directory = await mkdtemp(join(tmpdir(), 'chat-oldest-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The oldest Node.js that README.md promises, as npm has it. */
async function oldestNode() {
  await must(['npm', 'install', '--silent', '--prefix', directory, 'node@20.19.0']);
  return { bin: join(directory, 'node_modules/node/bin') };
}

describe('a clean clone, with the oldest Node.js that is promised', { timeout: 900_000 }, () =>
  testBlocks(['clone', 'node24', 'registry', 'template'], oldestNode),
);

it('the oldest Node.js says what it lacks without the one of the project', { timeout: 900_000 }, async () => {
  const clone = await makeClone(await oldestNode());
  try {
    const block = { page: '', line: 0, language: 'sh', mark: 'clone', output: undefined };
    const installed = await clone.run({ ...block, code: 'npm ci && npm prune --omit=dev --omit=optional\n' });
    expect(installed.code, installed.screen).toBe(0);
    const started = await clone.run({ ...block, code: 'npm run --silent serve\n' });
    expect(started).toEqual({ code: 1, screen: expect.stringMatching(/^This needs Node\.js 24, and runs in v20\.19\.0: .*\n$/) });
  } finally {
    await clone.close();
  }
});
