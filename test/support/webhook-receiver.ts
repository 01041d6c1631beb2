import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Event } from '../../lib/feed/events.ts';
import { useConfig } from './config.ts';
import { webhookServer } from './loopback-servers.ts';

/** A request that a receiver got. */
export type ReceivedEvent = { id: string; event: Event; body: string; headers: IncomingHttpHeaders };

/** The response of a receiver: a status with JSON and headers; none; or a closed connection. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | 'none' | 'close';

/**
 * A receiver of events: its address, the accepted events, the number of requests, and its
 * responses.
 */
export type Receiver = {
  url: string;
  taken: ReceivedEvent[];
  asked: ReceivedEvent[];
  answer: (received: ReceivedEvent) => Answer | Promise<Answer>;
};

const receivers = new Map<string, Receiver>();

webhookServer.server.on('request', async (request, response) => {
  const receiver = receivers.get(request.url ?? '');
  if (!receiver) return void response.writeHead(404).end();
  const body = (await buffer(request)).toString();
  const received = { id: String(request.headers['webhook-id']), event: JSON.parse(body), body, headers: request.headers };
  receiver.asked.push(received);
  const answer = await receiver.answer(received);
  if (typeof answer === 'object' && answer.status < 300) receiver.taken.push(received);
  give(response, answer);
});

/** Lets the service of the test file send events to these receivers, which are on this machine. */
export const useWebhookReceivers = (): void => useConfig({ WEBHOOK_HOSTS: webhookServer.origin });

function give(response: ServerResponse, answer: Answer): void {
  if (answer === 'none') return;
  if (answer === 'close') return void response.destroy();
  const { status, body, headers } = answer;
  response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body));
}

let count = 0;

/** A receiver that accepts everything. */
export function aReceiver(): Receiver {
  const path = `/${++count}`;
  const receiver: Receiver = { url: `${webhookServer.origin}${path}`, taken: [], asked: [], answer: () => ({ status: 204 }) };
  receivers.set(path, receiver);
  return receiver;
}
