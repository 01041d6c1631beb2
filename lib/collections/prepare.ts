import { client, database } from '../database/client.ts';
import { ensureIndexes } from './indexes.ts';

/** Makes sure that the database answers and that the indexes are there: they hold rules that the commands rely on, such as one account per name. */
export async function prepareDatabase(): Promise<void> {
  await database.command({ ping: 1 });
  await ensureIndexes();
}

/** Lets go of the database, so that the process can end. */
export const closeDatabase = () => client.close();
