import type { Client } from 'openapi-fetch';
import type { Event, paths } from './contract.ts';
import { ChatError } from './errors.ts';
import { delay } from './retry.ts';

/** Where to start following a room, when to stop, and how often to poll while nothing happens. */
export type FollowSettings = {
  /** The `seq` of the last event seen; without it, following starts now. */
  after?: number;
  signal?: AbortSignal;
  /** Milliseconds between two polls while nothing happens. */
  interval?: number;
};

/** Polls the events of a room; waits out temporary failures and throws other errors as `ChatError`. */
export async function* follow(
  client: Client<paths>,
  room: string,
  { after, signal, interval = 1_000 }: FollowSettings = {},
): AsyncGenerator<Event, void> {
  let cursor = after;
  while (!signal?.aborted) {
    const page = await fetchPage(client, { room, limit: 500, ...(cursor !== undefined && { after: cursor }) }, signal);
    for (const event of page?.events ?? []) yield event;
    cursor = page?.next ?? cursor;
    if (!page?.events.length) await delay(interval, signal).catch(() => {});
  }
}

type Query = NonNullable<paths['/api/events']['get']['parameters']['query']>;

/** One page of events; undefined when the service is temporarily unavailable. */
async function fetchPage(client: Client<paths>, query: Query, signal: AbortSignal | undefined) {
  const init = signal ? { params: { query }, signal } : { params: { query } };
  const answer = await client.GET('/api/events', init).catch(() => undefined);
  if (!answer || answer.response.status >= 500 || answer.response.status === 429) return undefined;
  if (!answer.data) throw new ChatError(answer.response.status, answer.error);
  // The types of openapi-fetch leave out fields that can only be null.
  return { events: answer.data as unknown as Event[], next: Number(answer.response.headers.get('X-Next-Cursor')) };
}
