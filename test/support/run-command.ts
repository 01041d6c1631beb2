import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../admin/run.ts';
import { startDatabase } from './worker.ts';

/** The exit code and the output of a command. */
export type CommandEnd = { code: number | null; stdout: string; stderr: string };

/** Runs a command to its end with the given standard input. */
export async function runCommand(
  words: string[],
  { input = '', environment = {} as Record<string, string | undefined> } = {},
): Promise<CommandEnd> {
  const [command = '', ...args] = words;
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: 'pipe' });
  child.stdin.on('error', () => {}); // A command may end without reading its input.
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

/**
 * Runs the administrators' command line in this process on the tests' database, because a process
 * takes half a second to start. `asProcess` starts a process, as users do.
 */
export async function admin(words: string[], input = ''): Promise<CommandEnd> {
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

/** Runs the administrators' command line as a separate process. */
export async function asProcess(words: string[], options?: Parameters<typeof runCommand>[1]): Promise<CommandEnd> {
  await startDatabase();
  return runCommand(['node', 'admin/main.ts', ...words], options);
}
