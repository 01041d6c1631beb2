import { launchDatabase } from './launch.ts';
import { portOf } from './src/protocol/address.ts';

/**
 * Gives this process the embedded database of DATA_DIR for as long as it runs, and MONGODB_URI to find it by. With MONGODB_URI
 * set, as in the processes that it starts, there is nothing to do. Throws a `DatabaseStartError`.
 */
export async function startDatabaseForThisProcess(): Promise<void> {
  if (process.env.MONGODB_URI) return;
  const database = await launchDatabase(databaseOptions());
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

/** Where the database is to be, as DATA_DIR and DATABASE_PORT say. */
export function databaseOptions() {
  const { DATA_DIR, DATABASE_PORT } = process.env;
  return { dataDir: DATA_DIR || './data', port: portOf(DATABASE_PORT) };
}
