import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { run } from '../../admin/run.ts';

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

/**
 * Runs the administrators' command line against the database of the tests: as a process of its own, but
 * the fast tests call it.
 */
export const admin = (words: string[], input = ''): Promise<Ended> =>
  inject('baseUrl') ? runCommand(['node', 'admin/main.ts', ...words], { input }) : callAdmin(words, input);

async function callAdmin(words: string[], input: string): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof written) =>
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        written[name] += chunk;
        done();
      },
    });
  const streams = { stdin: Readable.from([input]), stdout: collect('stdout'), stderr: collect('stderr') };
  const code = await run(words, streams, (_command, work) => work());
  return { code, ...written };
}
