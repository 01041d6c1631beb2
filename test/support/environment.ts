import { afterAll, inject, vi } from 'vitest';
import type { startWithin } from './start-within.ts';

/* Runs before each test file, of which a process has several. */

const ofProcess = globalThis as { environment?: NodeJS.ProcessEnv; database?: ReturnType<typeof startWithin> };
const hasOwnModules = process.env.MODULES === 'own';

if (hasOwnModules) {
  // The file is to find the process as if it had just started.
  ofProcess.environment ??= { ...process.env };
  for (const name of Object.keys(process.env)) if (!(name in ofProcess.environment)) delete process.env[name];
  Object.assign(process.env, ofProcess.environment);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
  // The log of each file writes what it has left when the process ends.
  process.setMaxListeners(Number.POSITIVE_INFINITY);
}

// Set before any test file imports the service, which reads its settings once.
Object.assign(process.env, inject('environment'));

if (process.env.DATABASE === 'within') {
  const { startWithin } = await import('./start-within.ts');
  const start = () => startWithin(inject('emptyDataDir'));
  if (hasOwnModules) {
    const { running, stop } = await start();
    process.env.MONGODB_URI = running.uri;
    afterAll(stop);
  } else {
    // Files that share the modules of the service share its database.
    ofProcess.database ??= start();
    process.env.MONGODB_URI = (await ofProcess.database).running.uri;
  }
} else {
  // So that tests can see which commands the service sends.
  const uri = process.env.MONGODB_URI ?? '';
  process.env.MONGODB_URI = `${uri}${uri.includes('?') ? '&' : `${/:\/\/.*\//.test(uri) ? '' : '/'}?`}monitorCommands=true`;
}
