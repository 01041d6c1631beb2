import { defaultLimit } from '../lib/api/pages.ts';
import { id, integer, optional, sequence } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { eventSchema, nextCursor, readEvents } from '../lib/feed/events.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { Answer, operation } from '../lib/http/operation.ts';

/** `/api/events`: what happens in a room. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read what happened in a room behind a cursor, without a gap; without a cursor, get one for now',
    access: 'user',
    scope: 'messages:read',
    query: { room: id, after: optional(sequence), limit: optional(integer(1, 500)) },
    status: 200,
    answer: listOf(eventSchema),
    headers: { 'X-Next-Cursor': nextCursor },
    refusals: {
      403: ['Room membership required.'],
      404: ['No such room.'],
      410: ['The cursor is older than the kept history.'],
    },
    run: async ({ query: { room, after, limit = defaultLimit }, caller }) => {
      const { events, next } = await readEvents(room, caller, after, limit);
      return new Answer(events, { 'X-Next-Cursor': String(next) });
    },
  }),
});
