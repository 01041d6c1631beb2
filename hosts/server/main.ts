import { databaseOptions, startDatabaseForThisProcess } from 'embedded-mongodb/ensure-database';
import { explainFailure } from '../../lib/errors.ts';
import './no-websocket.ts';
import { readSettings, SettingsError, usage } from './settings.ts';

/** The service as a server of its own: `node hosts/server/main.ts [OPTION...]`, with MONGODB_URI in the environment. */
async function main(words: string[]): Promise<void> {
  const settings = readSettings(words, process.env);
  if (settings.help) {
    process.stdout.write(usage);
    return;
  }
  // Many concurrent requests share this process; on Lambda it is one.
  process.env.MONGODB_POOL_SIZE ||= '20';
  // Imported late, so that a setting with an unusable value is reported like any other mistake; the driver while the database starts.
  const driver = import('../../lib/database/direct-calls.ts');
  // Workers share a database; a single process has it within itself.
  if (settings.workers > 1 || process.env.MONGODB_URI) await startDatabaseForThisProcess();
  else {
    const { startDatabase } = await import('embedded-mongodb');
    const database = await startDatabase(databaseOptions());
    process.env.MONGODB_URI = database.uri;
    process.once('exit', () => void database.close());
    (await driver).callDirectly(database.connect);
  }
  await driver;
  const { serve } = await import('./run.ts');
  await serve(settings);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n${error instanceof SettingsError ? usage : ''}`);
  process.exit(error instanceof SettingsError ? 2 : 1);
}
