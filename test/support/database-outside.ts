import { client, database } from '../../lib/database/client.ts';
import { databaseIsWithinThisProcess } from '../../lib/database/within-process.ts';
import { useConfig, usePatience } from './config.ts';
import { startProxy, type Proxy as TestProxy } from './proxy.ts';
import { atEndOfFile, startDatabase } from './worker.ts';

/**
 * Makes the service of the test file treat its database as external. Such a database does not
 * report changes, so the service reads again instead of using caches.
 */
export async function useDatabaseOutside(): Promise<void> {
  await startDatabase();
  databaseIsWithinThisProcess(undefined);
}

/**
 * Makes the service of the test file reach its database over a socket, through a proxy that can
 * break. The client reports its commands. `patienceMs` is the service's timeout for a connection.
 */
export async function useProxiedDatabase({ patienceMs }: { patienceMs?: number } = {}): Promise<TestProxy> {
  // Prepares the database while it can be reached.
  await database.command({ ping: 1 });
  await useDatabaseOutside();
  const proxy = await startProxy(new URL(process.env.MONGODB_URI ?? '').host);
  useConfig({ MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&monitorCommands=true` });
  if (patienceMs !== undefined) usePatience({ database: patienceMs });
  const proxied = client;
  atEndOfFile(async () => {
    await proxied.close();
    await proxy.close();
  });
  return proxy;
}
