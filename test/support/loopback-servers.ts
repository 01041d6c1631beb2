import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The server of all receivers of webhooks, which `webhook-receiver.ts` answers for. */
export const receiverServer = createServer();
receiverServer.listen(0, '127.0.0.1').unref();
await once(receiverServer, 'listening');

/** The origin of all receivers. */
export const receiversOrigin = `http://127.0.0.1:${(receiverServer.address() as AddressInfo).port}`;
