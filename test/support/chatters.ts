import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Attempt, Chatter } from './chatter.ts';

/** Starts a process that talks; `ended` says whether it came to its end by itself. */
export function startChatter(chatter: Chatter, environment: Record<string, string> = {}) {
  const child: ChildProcess = fork(new URL('./chatter.ts', import.meta.url), {
    execArgv: [],
    env: { ...process.env, ...environment, CHATTER: JSON.stringify(chatter) },
  });
  return { child, ended: once(child, 'exit').then(([code, signal]) => ({ code, signal })) };
}

/** What such processes have tried, and what of it was acknowledged. */
export async function attemptsIn(logs: string[]): Promise<{ tried: Attempt[]; done: Attempt[] }> {
  const lines = (await Promise.all(logs.map((log) => readFile(log, 'utf8')))).join('').trim().split('\n');
  const attempts = lines.map((line) => JSON.parse(line) as Attempt);
  return { tried: attempts.filter(({ isDone }) => !isDone), done: attempts.filter(({ isDone }) => isDone) };
}
