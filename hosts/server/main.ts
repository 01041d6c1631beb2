import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { databaseOptions, startDatabaseForThisProcess } from 'embedded-mongodb/ensure-database';
import { explainFailure } from '../../lib/base/errors.ts';
import { defaultFiles } from '../../lib/settings/settings.ts';
import './no-websocket.ts';
import { readSettings, SettingsError, usage } from './settings.ts';

/** The service as a server of its own: `node hosts/server/main.ts [OPTION...]`, with MONGODB_URI in the environment. */
async function main(words: string[]): Promise<void> {
  const settings = readSettings(words, process.env);
  if (settings.help) {
    process.stdout.write(usage);
    return;
  }
  if (settings.backup && process.env.MONGODB_URI && cluster.isPrimary)
    throw new SettingsError('BACKUP_DIR is for the embedded database: with MONGODB_URI, use the backups of your cluster.');
  // Many concurrent requests share this process; on Lambda it is one.
  process.env.MONGODB_POOL_SIZE ||= '20';
  // Others may share a database that was there before; with workers, this one is called the same in all of them.
  if (cluster.isPrimary) process.env.SERVER_OF_DATABASE = process.env.MONGODB_URI ? randomUUID() : '';
  process.env.FILES ||= defaultFiles(process.env);
  // The functions tell administrators of them, also where they are options.
  Object.assign(process.env, settings.backupVariables);
  // Imported late, so that a setting with an unusable value is reported like any other mistake; the driver while the database starts.
  const [{ callDirectly }, database] = await Promise.all([
    import('../../lib/database/direct-calls.ts'),
    ensureDatabase(settings.workers),
  ]);
  if (database) callDirectly(database.connect());
  const { serve } = await import('./run.ts');
  await serve({ ...settings, server: process.env.SERVER_OF_DATABASE || undefined });
}

/** Starts a database, unless MONGODB_URI names one: workers share it, a single process has it within itself, and gets it. */
async function ensureDatabase(workers: number) {
  if (workers > 1 || process.env.MONGODB_URI) return startDatabaseForThisProcess();
  const { startDatabase } = await import('embedded-mongodb');
  const database = await startDatabase(databaseOptions());
  process.env.MONGODB_URI = database.uri;
  process.once('exit', () => void database.close());
  return database;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n${error instanceof SettingsError ? usage : ''}`);
  process.exit(error instanceof SettingsError ? 2 : 1);
}
