import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { databaseOptions, startDatabaseForThisProcess } from 'embedded-mongodb/ensure-database';
import { describeSystemError } from 'embedded-mongodb/system-errors';
import { isAlone } from '../../lib/base/deadline.ts';
import { explainFailure } from '../../lib/base/errors.ts';
import { defaultFiles } from '../../lib/settings/settings.ts';
import './no-websocket.ts';
import { readSettings, SettingsError, usage } from './settings.ts';

/**
 * Runs the service as a server: `node hosts/server/main.ts [OPTION...]`, with MONGODB_URI in the
 * environment.
 */
async function main(words: string[]): Promise<void> {
  const settings = readSettings(words, process.env);
  if (settings.help) {
    process.stdout.write(usage);
    return;
  }
  if (settings.backup && process.env.MONGODB_URI && cluster.isPrimary)
    throw new SettingsError('BACKUP_DIR is for the embedded database: with MONGODB_URI, use the backups of your cluster.');
  // Many concurrent requests share this process; a Lambda function handles one.
  process.env.MONGODB_POOL_SIZE ||= '20';
  if (cluster.isPrimary) {
    // Other servers may share the database that MONGODB_URI names. All workers of this server have
    // the same id.
    process.env.SERVER_OF_DATABASE = process.env.MONGODB_URI ? randomUUID() : '';
    process.env.SERVES_ALONE_SINCE = process.env.MONGODB_URI ? '' : new Date().toISOString();
  }
  process.env.FILES ||= defaultFiles(process.env);
  // Functions report the backup settings to administrators, even if they are set by options.
  Object.assign(process.env, settings.backupVariables);
  // Imported dynamically, so that an invalid setting is reported like any other mistake. The driver
  // loads while the database starts.
  const [{ callDirectly }, database] = await Promise.all([
    import('../../lib/database/direct-calls.ts'),
    ensureDatabase(settings.workers),
  ]);
  if (database) callDirectly(database.connect({ isAlone }));
  const { serve } = await import('./run.ts');
  const { SERVER_OF_DATABASE: server, SERVES_ALONE_SINCE: alone } = process.env;
  await serve({ ...settings, server: server || undefined, aloneSince: alone ? new Date(alone) : undefined });
}

/**
 * Starts a database unless MONGODB_URI is set. Several workers share a database process. A single
 * process runs the database itself, and gets it as the result.
 */
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
  process.stderr.write(`${describeSystemError(error) ?? explainFailure(error)}\n${error instanceof SettingsError ? usage : ''}`);
  process.exit(error instanceof SettingsError ? 2 : 1);
}
