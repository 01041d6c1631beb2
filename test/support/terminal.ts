import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Whether there is `script` of util-linux, which runs a command at a terminal that programs can type at. */
export const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

/** Runs the administrators' command line at a terminal: answers each prompt, and returns the exit code and the screen. */
export async function atTerminal(words: string[], dialogue: [prompt: string, typed: string][]) {
  const child = spawn('script', ['-qec', `node admin/main.ts ${words.join(' ')}`, '/dev/null'], { stdio: 'pipe' });
  let screen = '';
  let read = 0;
  const lines = [...dialogue];
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    const [prompt, typed] = lines[0] ?? [];
    if (prompt === undefined || !screen.slice(read).includes(prompt)) return;
    read = screen.length;
    lines.shift();
    child.stdin.write(`${typed}`);
  });
  const [code] = await once(child, 'close');
  return { code: code as number, screen };
}
