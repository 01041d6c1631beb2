import type { Client } from 'openapi-fetch';
import type { Event, paths } from './contract.ts';
import { ChatError } from './errors.ts';
import { delay } from './retry.ts';

/** From where on a room is followed, until when, and how often the service is asked when nothing happens. */
export type FollowSettings = {
  /** The `seq` of the last event that was seen; absent: from now on. */
  after?: number;
  signal?: AbortSignal;
  /** Milliseconds between two questions while nothing happens. */
  interval?: number;
};

/** Asks for the events of a room again and again; failures that may pass are waited out, others are thrown as `ChatError`. */
export async function* follow(
  client: Client<paths>,
  room: string,
  { after, signal, interval = 1_000 }: FollowSettings = {},
): AsyncGenerator<Event, void> {
  let cursor = after;
  while (!signal?.aborted) {
    const page = await ask(client, { room, limit: 500, ...(cursor !== undefined && { after: cursor }) }, signal);
    for (const event of page?.events ?? []) yield event;
    cursor = page?.next ?? cursor;
    if (!page?.events.length) await delay(interval, signal).catch(() => {});
  }
}

type Query = NonNullable<paths['/api/events']['get']['parameters']['query']>;

/** One page of events, or undefined when the service could not be asked for now. */
async function ask(client: Client<paths>, query: Query, signal: AbortSignal | undefined) {
  const init = signal ? { params: { query }, signal } : { params: { query } };
  const answer = await client.GET('/api/events', init).catch(() => undefined);
  if (!answer || answer.response.status >= 500 || answer.response.status === 429) return undefined;
  if (!answer.data) throw new ChatError(answer.response.status, answer.error);
  // openapi-fetch leaves fields out of its types that can only be null.
  return { events: answer.data as unknown as Event[], next: Number(answer.response.headers.get('X-Next-Cursor')) };
}
