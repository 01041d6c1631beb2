import { createInterface } from 'node:readline/promises';

/** Lets only go on who says `--yes` or, asked at the terminal, types yes: for what can't be undone. */
export async function confirm(question: string, isSure: boolean): Promise<void> {
  if (isSure) return;
  if (!process.stdin.isTTY) throw new Error('This can not be undone: say --yes where nobody can be asked.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const interrupted = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(`${question} Type yes to go on: `), interrupted]);
    if (answer.trim().toLowerCase() !== 'yes') throw new Error('Nothing was changed.');
  } finally {
    terminal.close();
  }
}
