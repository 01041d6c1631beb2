import { launchDatabase } from './client-process.ts';

/*
 * Gives a program the embedded database of DATA_DIR for as long as it runs: `node --import ./embedded/preload.ts PROGRAM`.
 * With MONGODB_URI set, as in the processes that such a program starts, there is nothing to do.
 */
if (!process.env.MONGODB_URI) {
  try {
    const { DATA_DIR, DATABASE_PORT } = process.env;
    const database = await launchDatabase({ dataDir: DATA_DIR || './data', port: Number(DATABASE_PORT || '27027') });
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
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
