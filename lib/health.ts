import manifest from '../package.json' with { type: 'json' };
import { aText, aWord, record, type Shown } from './api/schema.ts';
import { database } from './database/client.ts';

/** That the service works. */
export const healthSchema = record('Health', { status: aWord('ok'), version: aText, database: aWord('ok') });

/** Asks the database for a sign of life, without which there is no service; fails if there is none. */
export async function checkHealth(): Promise<Shown<typeof healthSchema>> {
  await database.command({ ping: 1 });
  return { status: 'ok', version: manifest.version, database: 'ok' };
}
