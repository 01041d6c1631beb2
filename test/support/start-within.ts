import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from 'embedded-mongodb';
import driver from 'mongodb/lib/operations/execute_operation.js';

/**
 * Starts a database within this process, as `npm run serve` has it, that begins as a copy of a directory, and has the
 * service use it without a socket until it is stopped. Other processes reach it by its connection string. Call it
 * before the service is loaded.
 */
export async function startWithin(template: string, options: Omit<Parameters<typeof startDatabase>[0], 'dataDir'> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'chat-within-'));
  await cp(template, dataDir, { recursive: true });
  const running = await startDatabase({ ...options, dataDir });
  const before = { ...driver };
  // It reads no settings, which a test file may still change.
  const { callDirectly } = await import('../../lib/database/direct-calls.ts');
  const connection = running.connect();
  const { lastChange } = connection;
  callDirectly(connection);
  return {
    running,
    lastChange,
    stop: async (): Promise<void> => {
      const { closeDatabase } = await import('../../lib/operating/prepare.ts');
      await closeDatabase();
      Object.assign(driver, before);
      await running.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
