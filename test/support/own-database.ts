import { randomBytes } from 'node:crypto';

// Imported first by tests whose data or settings would disturb other tests: it gives them their own database, which
// `withOwnDatabase()` of `./indexed-database.ts` prepares and drops.
process.env.MONGODB_DATABASE = `chat_test_own_${randomBytes(6).toString('hex')}`;
