import './small-heap.ts';
import type { Command } from './command.ts';
import { openDatabase } from './database.ts';
import { run } from './run.ts';

async function withDatabase<T>(command: Command, work: () => Promise<T>): Promise<T> {
  const database = await openDatabase(command.makesDatabase === true);
  try {
    const { prepareDatabase, closeDatabase } = await import('../lib/operating/prepare.ts');
    try {
      if (!command.takesDamaged) await prepareDatabase();
      return await work();
    } finally {
      await closeDatabase();
    }
  } finally {
    await database.close();
  }
}

process.exitCode = await run(process.argv.slice(2), process, withDatabase);
