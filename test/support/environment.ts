import { inject } from 'vitest';
import { startWithin } from './start-within.ts';

// Set before any test file imports the service, which reads its settings once.
Object.assign(process.env, inject('environment'));

if (process.env.DATABASE === 'within') {
  // Test files that share a process share its database.
  const shared = globalThis as { databaseOfTests?: ReturnType<typeof startWithin> };
  shared.databaseOfTests ??= startWithin(inject('emptyDataDir'));
  process.env.MONGODB_URI = (await shared.databaseOfTests).running.uri;
} else {
  // So that tests can see which commands the service sends.
  const uri = process.env.MONGODB_URI ?? '';
  process.env.MONGODB_URI = `${uri}${uri.includes('?') ? '&' : `${/:\/\/.*\//.test(uri) ? '' : '/'}?`}monitorCommands=true`;
}
