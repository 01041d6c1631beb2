import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * The servers that the services of the tests may send to. Every service on the database of a worker
 * retries what others have not sent, so it may reach them too.
 */

async function startServer() {
  const server = createServer();
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The receivers of webhooks, which `webhook-receiver.ts` answers for. */
export const webhookServer = await startServer();

/** The push service of `push-service.ts`. */
export const pushServer = await startServer();
