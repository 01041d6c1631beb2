import { EJSON } from 'bson';
import { client, database } from '../../../lib/database/client.ts';
import { type Operation, prepared } from '../operations.ts';
import { fill } from './fill.ts';
import { fillForAttacks } from './fill-for-attacks.ts';
import { fillForPush } from './fill-for-push.ts';

/*
 * A worker that runs its parent's tasks one at a time. It drops its database when the parent
 * disconnects.
 */

const tasks = { fill, fillForAttacks, fillForPush, time };

export type Tasks = typeof tasks;

/**
 * Calls a function repeatedly, one call after the other. Returns the duration of each call in
 * milliseconds.
 */
async function time(operation: Operation, repeats: number): Promise<number[]> {
  const call = await prepared(operation);
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) times.push(await call());
  return times;
}

process.on('message', async (text: string) => {
  const { task, input } = EJSON.parse(text) as { task: keyof Tasks; input: never[] };
  process.send?.(EJSON.stringify(await answer(task, input), { relaxed: false }));
});

async function answer(task: keyof Tasks, input: never[]): Promise<{ value: unknown } | { error: string }> {
  try {
    const run = tasks[task] as (...input: never[]) => Promise<unknown>;
    return { value: await run(...input) };
  } catch (error) {
    return { error: String((error as Error).stack) };
  }
}

process.once('disconnect', async () => {
  if (!process.env.KEEP_DATABASE) await database.dropDatabase();
  await client.close();
});
