import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';

/*
 * Imported first, by tests whose data or settings would disturb other tests: it gives their file a database of its own, with its indexes, and
 * drops it at the end.
 */
process.env.MONGODB_DATABASE = `chat_test_own_${randomBytes(6).toString('hex')}`;

// Only now: the settings are read when the service is loaded.
const { database } = await import('../../lib/database/client.ts');
const { ensureIndexes } = await import('../../lib/operating/prepare.ts');
await ensureIndexes();
afterAll(() => database.dropDatabase());
