import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { startDatabase } from './worker.ts';

/**
 * True if util-linux's `script` is installed, which runs a command at a terminal that programs can
 * control.
 */
export const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

/** The prompts at the end of the screen, each with the text that is typed once. */
export type Dialogue = [prompt: string, typed: string][];

/**
 * Runs a shell command at a terminal. Answers each prompt, and returns the exit code and the
 * screen.
 */
export async function atTerminal(command: string, dialogue: Dialogue, { cwd = process.cwd() } = {}) {
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: 'pipe', cwd });
  let screen = '';
  let read = 0;
  const lines = [...dialogue];
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    const [prompt, typed] = lines[0] ?? [];
    if (prompt === undefined || !screen.slice(read).includes(prompt)) return;
    read = screen.indexOf(prompt, read) + prompt.length;
    lines.shift();
    child.stdin.write(`${typed}`);
  });
  const [code] = await once(child, 'close');
  return { code: code as number, screen: screen.replaceAll('\r\n', '\n') };
}

/** Runs the administrators' command line at a terminal. */
export async function adminAtTerminal(words: string[], dialogue: Dialogue) {
  await startDatabase();
  return atTerminal(`node admin/main.ts ${words.join(' ')}`, dialogue);
}
