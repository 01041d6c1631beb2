import { launchDatabase } from './launch.ts';
import { portOf } from './src/protocol/address.ts';
import type { RunningDatabase } from './src/server.ts';

/**
 * The same within this process, for one that alone makes nearly all of the database's work. Undefined with MONGODB_URI set. Throws a
 * `DatabaseStartError`.
 */
export async function startDatabaseInThisProcess(): Promise<RunningDatabase | undefined> {
  if (process.env.MONGODB_URI) return undefined;
  const { DATA_DIR, DATABASE_PORT } = process.env;
  const { startDatabase } = await import('./src/server.ts');
  const database = await startDatabase({ dataDir: DATA_DIR || './data', port: portOf(DATABASE_PORT) });
  process.env.MONGODB_URI = database.uri;
  process.once('exit', () => database.closeNow());
  return database;
}

/**
 * Gives this process the embedded database of DATA_DIR for as long as it runs, and MONGODB_URI to find it by. With MONGODB_URI
 * set, as in the processes that it starts, there is nothing to do. Throws a `DatabaseStartError`.
 */
export async function startDatabaseForThisProcess(): Promise<void> {
  if (process.env.MONGODB_URI) return;
  const { DATA_DIR, DATABASE_PORT } = process.env;
  const database = await launchDatabase({ dataDir: DATA_DIR || './data', port: portOf(DATABASE_PORT) });
  process.env.MONGODB_URI = database.uri;
  let isEnding = false;
  process.once('exit', () => {
    isEnding = true;
    database.closeNow();
  });
  // A program without its database is of no use; what watches over it starts both again.
  void database.ended.then(() => {
    if (isEnding) return;
    process.stderr.write('The database has ended, and with it this program.\n');
    process.exit(1);
  });
}
