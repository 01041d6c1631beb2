import { createInterface } from 'node:readline/promises';
import type { Streams } from './command.ts';
import { harmless } from './output.ts';

/**
 * Asks before a change that cannot be undone. It continues only with `--yes` or, at a terminal,
 * after a typed yes. `refusal` names the option to pass without a terminal.
 */
export async function confirm(
  question: string,
  isSure: boolean,
  { stdin, stderr }: Streams,
  refusal = 'This cannot be undone: pass --yes to run it without a question.',
): Promise<void> {
  if (isSure) return;
  if (!stdin.isTTY) throw new Error(refusal);
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    const interrupted = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(`${harmless(question)} Type yes to continue: `), interrupted]);
    if (answer.trim().toLowerCase() !== 'yes') throw new Error('Nothing was changed.');
  } finally {
    terminal.close();
  }
}
