import './small-heap.ts';
import type { Command, Options } from './command.ts';
import { openDatabase, pointToDatabase } from './database.ts';
import { run } from './run.ts';

async function withDatabase<T>(command: Command, work: () => Promise<T>, options: Options): Promise<T> {
  if (command.readsFiles?.(options)) {
    pointToDatabase();
    return withClient(work);
  }
  const database = await openDatabase(command.makesDatabase === true);
  try {
    return await withClient(async () => {
      const { prepareDatabase } = await import('../lib/operating/prepare.ts');
      if (!command.takesDamaged) await prepareDatabase();
      return work();
    });
  } finally {
    await database.close();
  }
}

/** Closes the driver's client, which would keep the process alive. */
async function withClient<T>(work: () => Promise<T>): Promise<T> {
  const { closeDatabase } = await import('../lib/operating/prepare.ts');
  try {
    return await work();
  } finally {
    await closeDatabase();
  }
}

process.exitCode = await run(process.argv.slice(2), process, withDatabase);
