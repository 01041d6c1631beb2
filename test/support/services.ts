import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createUser } from '../../lib/accounts/accounts.ts';
import { commands, type Service, startService } from '../../tools/harness/service.ts';
import { pushServer, webhookServer } from './loopback-servers.ts';
import { servicesFile } from './services-file.ts';
import { startDatabase } from './worker.ts';

/*
 * The service in separate processes, on the database of this worker. One of each kind starts on
 * first use, and ends with the run.
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

/**
 * Starts another service on free ports, on the database of the test file. It retries what other
 * services there have not sent, so it may also reach the receivers and the push service of the
 * tests.
 */
export async function aService(environment: Record<string, string>, command?: string[]): Promise<Service> {
  await startDatabase();
  return startService({ WEBHOOK_HOSTS: webhookServer.origin, PUSH_HOSTS: pushServer.origin, ...environment }, command);
}

async function start(kind: keyof typeof commands): Promise<string> {
  // Without an administrator, the service shows only the form to create one.
  const username = `admin-${randomBytes(8).toString('hex')}`;
  await createUser({ username, email: `${username}@example.org`, password: 'correct horse', is_admin: true });
  const { url, pid } = await aService({}, commands[kind]);
  appendFileSync(servicesFile(), `${pid}\n`);
  return url;
}
