import { launchDatabase } from './launch.ts';
import { portOf } from './src/protocol/address.ts';

/**
 * Starts the embedded database of DATA_DIR for the lifetime of this process, and sets MONGODB_URI.
 * Does nothing if MONGODB_URI is already set, e.g. in child processes. Throws a
 * `DatabaseStartError`.
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
  // This program is useless without its database. A supervisor restarts both.
  void database.ended.then(() => {
    if (isEnding) return;
    process.stderr.write('The database has ended, and with it this program.\n');
    process.exit(1);
  });
}

/** The options from DATA_DIR and DATABASE_PORT. */
export function databaseOptions() {
  const { DATA_DIR, DATABASE_PORT } = process.env;
  return { dataDir: DATA_DIR || './data', port: portOf(DATABASE_PORT) };
}
