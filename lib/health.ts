import manifest from '../package.json' with { type: 'json' };
import { aText, aWord, record } from './api/schema.ts';
import { database } from './database/client.ts';

/** How the service is. */
export type Health = { status: 'ok'; version: string; database: 'ok' };

export const healthSchema = record<Health>('Health', { status: aWord('ok'), version: aText, database: aWord('ok') });

/** Asks the database for a sign of life, without which there is no service; fails if there is none. */
export async function checkHealth(): Promise<Health> {
  await database.command({ ping: 1 });
  return { status: 'ok', version: manifest.version, database: 'ok' };
}
