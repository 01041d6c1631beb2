import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** How a command ended, and all that it printed. */
export type Ended = { code: number | null; stdout: string; stderr: string };

/** Runs a command to its end with the given standard input. */
export async function runCommand(
  words: string[],
  { input = '', environment = {} as Record<string, string | undefined> } = {},
): Promise<Ended> {
  const [command = '', ...args] = words;
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: 'pipe' });
  child.stdin.on('error', () => {}); // a command may end without reading its input
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

/** Runs the administrators' command line against the database of the tests. */
export const admin = (words: string[], input = '') => runCommand(['node', 'admin/main.ts', ...words], { input });
