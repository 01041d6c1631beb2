import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { withDirectory } from './database.ts';
import { project } from './workers.ts';

const run = promisify(execFile);
const git = (...words: string[]) => run('git', words, { cwd: project });

/**
 * Runs `use` with an installed checkout of a commit, which is removed afterwards. A directory with
 * an existing checkout is used unchanged.
 */
export async function withCheckout<T>(commit: string, use: (directory: string) => Promise<T>): Promise<T> {
  if (existsSync(join(commit, 'package.json'))) return use(resolve(commit));
  const { stdout } = await git('rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`);
  return withDirectory(async (parent) => {
    const directory = join(parent, 'checkout');
    await git('worktree', 'add', '--detach', directory, stdout.trim());
    try {
      await run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: directory });
      return await use(directory);
    } finally {
      await git('worktree', 'remove', '--force', directory);
    }
  });
}

/** The newest release before this checkout, if there is one. */
export async function lastRelease(): Promise<string | undefined> {
  try {
    return (await git('describe', '--tags', '--match', 'v*', '--abbrev=0', 'HEAD^')).stdout.trim();
  } catch {
    return undefined;
  }
}
