import { readFile } from 'node:fs/promises';
import type { Attempt } from './workers/write.ts';

/** The attempts in the logs of `write` workers, and the acknowledged ones. */
export async function attemptsIn(logs: string[]): Promise<{ tried: Attempt[]; done: Attempt[] }> {
  const lines = (await Promise.all(logs.map((log) => readFile(log, 'utf8')))).join('').trim().split('\n');
  const attempts = lines.map((line) => JSON.parse(line) as Attempt);
  return { tried: attempts.filter(({ isDone }) => !isDone), done: attempts.filter(({ isDone }) => isDone) };
}
