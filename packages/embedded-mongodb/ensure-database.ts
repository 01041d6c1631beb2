import { launchDatabase } from './launch.ts';
import { portOf } from './src/protocol/address.ts';

/**
 * Starts the embedded database of DATA_DIR for as long as this process runs, and sets MONGODB_URI to its address. Does
 * nothing where MONGODB_URI is set, as in the processes that this one starts. Throws a `DatabaseStartError`.
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
  // A program without its database is of no use. Its supervisor starts both again.
  void database.ended.then(() => {
    if (isEnding) return;
    process.stderr.write('The database has ended, and with it this program.\n');
    process.exit(1);
  });
}

/** The directory and the port of the database, from DATA_DIR and DATABASE_PORT. */
export function databaseOptions() {
  const { DATA_DIR, DATABASE_PORT } = process.env;
  return { dataDir: DATA_DIR || './data', port: portOf(DATABASE_PORT) };
}
