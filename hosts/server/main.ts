import { startDatabaseForThisProcess } from 'embedded-mongodb/ensure-database';
import './no-websocket.ts';
import { readSettings, SettingsError, usage } from './settings.ts';

/** The service as a server of its own: `node hosts/server/main.ts [OPTION...]`, with MONGODB_URI in the environment. */
async function main(words: string[]): Promise<void> {
  const settings = readSettings(words, process.env);
  if (settings.help) {
    process.stdout.write(usage);
    return;
  }
  // Many requests at once share this process; on Lambda it is one.
  process.env.MONGODB_POOL_SIZE ||= '20';
  // Imported late, so that a setting that can't be used is told like any other mistake; the driver while the database starts.
  await Promise.all([startDatabaseForThisProcess(), import('mongodb')]);
  const { serve } = await import('./run.ts');
  await serve(settings);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { explain } = await import('../../lib/explain-failure.ts');
  process.stderr.write(`${explain(error)}\n${error instanceof SettingsError ? usage : ''}`);
  process.exit(error instanceof SettingsError ? 2 : 1);
}
