import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { preloading } from '../../tools/harness/preload.ts';
import { runCommand } from '../support/run-command.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** Makes Node.js say that it is an earlier one, before anything else is loaded. */
const pretend = `const versions = { ...process.versions, node: '20.19.0' };
  Object.defineProperty(process, 'versions', { value: versions });
  Object.defineProperty(process, 'version', { value: 'v20.19.0' });`;

describe('a Node.js before 24', () => {
  it.each(Object.entries(scripts).filter(([, script]) => script.startsWith('node ')))(
    '`npm run %s` under an old Node.js says so in one sentence, and does nothing',
    async (_name, script) => {
      const words = script.split(' && ')[0]?.split(' ') ?? [];
      expect(await runCommand(words, { environment: preloading(pretend) })).toEqual({
        code: 1,
        stdout: '',
        stderr:
          "This needs Node.js 24, and runs in v20.19.0: `npm ci` brings it along for npm's commands, `npm ci --omit=dev` does not.\n",
      });
    },
  );
});
