import { afterAll } from 'vitest';
import { database } from '../../lib/database/client.ts';
import { ensureIndexes } from '../../lib/prepare.ts';

/** Creates the indexes in a test file's own database, and drops it at the end. */
export async function withOwnDatabase(): Promise<void> {
  await ensureIndexes();
  afterAll(() => database.dropDatabase());
}
