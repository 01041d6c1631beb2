import { randomBytes } from 'node:crypto';

// Imported before all else, by tests that need so many rooms, or such settings, that they would be in the way of other tests:
// they get a database of their own, which `withOwnDatabase()` of `./indexed-database.ts` prepares and drops.
process.env.MONGODB_DATABASE = `chat_test_own_${randomBytes(6).toString('hex')}`;
