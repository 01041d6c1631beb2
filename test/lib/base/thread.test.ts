import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Prints the priorities of all threads of a process, while one computes passwords. */
const script = `
  const { readdirSync, readFileSync } = await import('node:fs');
  const { Thread } = await import('./lib/base/thread.ts');
  const thread = new Thread(new URL('./lib/credentials/password-worker.ts', 'file://' + process.cwd() + '/'));
  await thread.call({ isNew: true, plain: 'correct horse', cost: 4 });
  const priorityOf = (id) => Number(readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ').at(-1).split(' ')[16]);
  console.log(JSON.stringify(readdirSync('/proc/self/task').map(priorityOf)));
`;

// Only Linux has a priority per thread.
it.runIf(process.platform === 'linux').each([0, 10, 17])(
  'a thread for passwords has a lower priority than its process, with nice %i',
  async (more) => {
    const { stdout } = await promisify(execFile)('nice', ['-n', String(more), process.execPath, '-e', script]);
    const own = Math.min(19, getPriority() + more);
    expect(new Set(JSON.parse(stdout))).toEqual(new Set([own, Math.min(19, own + 5)]));
  },
);
