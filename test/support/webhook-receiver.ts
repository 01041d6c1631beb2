import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Event } from '../../lib/feed/events.ts';
import { useConfig } from './config.ts';

/** What arrived. */
export type Received = { id: string; event: Event; body: string; headers: IncomingHttpHeaders };

/** How a receiver answers: with a status, JSON and header fields; not at all; or by closing the connection. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | 'none' | 'close';

/** A receiver of events: its address, what it has taken, what it was asked in all, and how it answers to each. */
export type Receiver = {
  url: string;
  taken: Received[];
  asked: Received[];
  answer: (received: Received) => Answer | Promise<Answer>;
};

const receivers = new Map<string, Receiver>();

const server = createServer(async (request, response) => {
  const receiver = receivers.get(request.url ?? '');
  if (!receiver) return void response.writeHead(404).end();
  const body = (await buffer(request)).toString();
  const received = { id: String(request.headers['webhook-id']), event: JSON.parse(body), body, headers: request.headers };
  receiver.asked.push(received);
  const answer = await receiver.answer(received);
  if (typeof answer === 'object' && answer.status < 300) receiver.taken.push(received);
  give(response, answer);
});
server.listen(0, '127.0.0.1').unref();
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Lets the service of the test file send events to the receivers here, which are on this machine. */
export const useWebhookReceivers = (): void => useConfig({ WEBHOOK_HOSTS: origin });

function give(response: ServerResponse, answer: Answer): void {
  if (answer === 'none') return;
  if (answer === 'close') return void response.destroy();
  const { status, body, headers } = answer;
  response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body));
}

let count = 0;

/** A receiver that takes everything. */
export function aReceiver(): Receiver {
  const path = `/${++count}`;
  const receiver: Receiver = { url: `${origin}${path}`, taken: [], asked: [], answer: () => ({ status: 204 }) };
  receivers.set(path, receiver);
  return receiver;
}
