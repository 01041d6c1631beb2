import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createUser } from '../../lib/accounts/accounts.ts';
import { commands, type Service, startService } from '../../tools/harness/service.ts';
import { servicesFile } from './services-file.ts';
import { startDatabase } from './worker.ts';

/*
 * The service in processes of its own, on the database of this worker. One of each kind starts at its first use, and
 * ends with the run.
 */

const started = new Map<keyof typeof commands, Promise<string>>();

/** The address of the production server (`npm run serve`). */
export const serveUrl = (): Promise<string> => addressOf('serve');

/** The address of the service under serverless-offline (`npm start`). */
export const offlineUrl = (): Promise<string> => addressOf('start');

function addressOf(kind: keyof typeof commands): Promise<string> {
  const url = started.get(kind) ?? start(kind);
  started.set(kind, url);
  return url;
}

/** Starts one more service on free ports, on the database of the test file. */
export async function aService(...parameters: Parameters<typeof startService>): Promise<Service> {
  await startDatabase();
  return startService(...parameters);
}

async function start(kind: keyof typeof commands): Promise<string> {
  // A service without an administrator shows nothing but the form for the first one.
  const username = `admin-${randomBytes(8).toString('hex')}`;
  await createUser({ username, email: `${username}@example.org`, password: 'correct horse', is_admin: true });
  const { url, pid } = await aService({}, commands[kind]);
  appendFileSync(servicesFile(), `${pid}\n`);
  return url;
}
