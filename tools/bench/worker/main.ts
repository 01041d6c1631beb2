import { EJSON } from 'bson';
import { client, database } from '../../../lib/database/client.ts';
import { tasks } from './tasks.ts';

/* A worker: runs the tasks that its parent sends, one at a time, and drops its database when the parent disconnects. */

process.on('message', async (text: string) => {
  const { task, input } = EJSON.parse(text) as { task: keyof typeof tasks; input: never[] };
  process.send?.(EJSON.stringify(await answer(task, input), { relaxed: false }));
});

async function answer(task: keyof typeof tasks, input: never[]): Promise<{ value: unknown } | { error: string }> {
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
