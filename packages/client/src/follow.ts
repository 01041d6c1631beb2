import type { Client } from 'openapi-fetch';
import type { Event, Member, paths } from './contract.ts';
import { ChatError, errorOf } from './errors.ts';
import { type PaceSettings, pace } from './pace.ts';

/** Where to start following a room, and how. */
export type FollowSettings = PaceSettings & {
  /** The `seq` of the last event seen; without it, following starts now. */
  after?: number;
};

/** The same for all of the caller's rooms: the `seq` of the last event seen in each, by the room's id. */
export type FollowAllSettings = PaceSettings & { after?: Record<string, number> };

/** Events as they come; `wake()` polls at once, for those who know by other means that something happened. */
export type Following = AsyncGenerator<Event, void> & { wake: () => void };

/** Polls the events of a room; waits out temporary failures and throws other errors as `ChatError`. */
export function follow(client: Client<paths>, room: string, { after, ...settings }: FollowSettings = {}): Following {
  const { rest, wake } = pace(settings);
  const { signal } = settings;

  async function* events(): AsyncGenerator<Event, void> {
    let cursor = after;
    while (!signal?.aborted) {
      const page = await fetchEvents(client, room, cursor, signal);
      for (const event of page?.events ?? []) yield event;
      cursor = page?.next ?? cursor;
      await rest(page ? (page.events.length > 0 ? 'events' : 'nothing') : 'failure');
    }
  }
  return Object.assign(events(), { wake });
}

/**
 * Polls the events of all the caller's rooms, one request while nothing happens. Rooms that are joined meanwhile are followed from where the
 * caller has read, those that are left are not any more.
 */
export function followAll(client: Client<paths>, { after = {}, ...settings }: FollowAllSettings = {}): Following {
  const { rest, wake } = pace(settings);
  const { signal } = settings;
  const cursors = new Map(Object.entries(after));
  // The rooms whose `seq` is ahead of what was read of them. The service tells once that a room moved, but its feed may wait for a message.
  const ahead = new Map<string, number>();

  /** One page of a room; undefined when the service is temporarily unavailable. */
  async function readOn(room: string): Promise<Event[] | undefined> {
    try {
      const page = await fetchEvents(client, room, cursors.get(room), signal);
      if (!page) return undefined;
      cursors.set(room, page.next);
      if (page.next >= (ahead.get(room) ?? 0)) ahead.delete(room);
      return page.events;
    } catch (error) {
      const isLeft = error instanceof ChatError && (error.status === 403 || error.status === 404);
      if (!isLeft) throw error;
      ahead.delete(room);
      cursors.delete(room);
      return [];
    }
  }

  async function* events(): AsyncGenerator<Event, void> {
    let since: string | undefined;
    while (!signal?.aborted) {
      const moved = await fetchMoved(client, since, signal);
      for (const { room, seq = 0, last_read = 0 } of moved?.members ?? []) {
        const cursor = cursors.get(room.$oid) ?? (since === undefined ? seq : last_read);
        cursors.set(room.$oid, cursor);
        if (seq > cursor) ahead.set(room.$oid, seq);
      }
      since = moved?.since ?? since;

      let outcome: 'events' | 'nothing' | 'failure' = moved ? 'nothing' : 'failure';
      for (const room of [...ahead.keys()]) {
        const found = await readOn(room);
        if (!found) outcome = 'failure';
        else if (found.length > 0 && outcome === 'nothing') outcome = 'events';
        for (const event of found ?? []) yield event;
      }
      await rest(outcome);
    }
  }
  return Object.assign(events(), { wake });
}

/** One page of events; undefined when the service is temporarily unavailable. */
async function fetchEvents(client: Client<paths>, room: string, after: number | undefined, signal: AbortSignal | undefined) {
  const query = { room, limit: 500, ...(after !== undefined && { after }) };
  const answer = await client.GET('/api/events', { params: { query }, ...(signal && { signal }) }).catch(() => undefined);
  if (!answer || isTemporary(answer.response)) return undefined;
  if (!answer.data) throw errorOf(answer.response, answer.error);
  // The types of openapi-fetch leave out fields that can only be null.
  return { events: answer.data as unknown as Event[], next: Number(answer.response.headers.get('X-Next-Cursor')) };
}

/** The caller's memberships of the rooms that moved, and since when to ask the next time; undefined when the service is unavailable. */
async function fetchMoved(client: Client<paths>, since: string | undefined, signal: AbortSignal | undefined) {
  const members: Member[] = [];
  let next: string | undefined;
  let after: string | undefined;
  do {
    const query = { user: 'me' as const, limit: 200, ...(since && { since }), ...(after && { after }) };
    const answer = await client.GET('/api/members', { params: { query }, ...(signal && { signal }) }).catch(() => undefined);
    if (!answer || isTemporary(answer.response)) return undefined;
    if (!answer.data) throw errorOf(answer.response, answer.error);
    members.push(...answer.data);
    next ??= answer.response.headers.get('X-Next-Cursor') ?? undefined;
    after = /[?&]after=([^&>]+)/.exec(answer.response.headers.get('Link') ?? '')?.[1];
  } while (after !== undefined);
  return { members, since: next };
}

const isTemporary = ({ status }: Response) => status >= 500 || status === 429;
