import { feedCursor, nextCursor, requireEpochOf, writeCursor } from '../lib/api/cursors.ts';
import { orPageSize } from '../lib/api/pages.ts';
import { about, id, integer, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { eventRefusals, eventSchema, readEvents } from '../lib/feed/events.ts';
import { Answer } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/events`: the events of a room. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read the events of a room after a cursor, without gaps; without a cursor, get the current one',
    access: 'user',
    scope: 'messages:read',
    query: {
      room: about('Return events of this room.', id),
      after: optional(feedCursor),
      limit: orPageSize(about('The maximum number of events.', integer(1, 500))),
    },
    status: 200,
    answer: listOf(eventSchema),
    headers: { 'X-Next-Cursor': nextCursor },
    refusals: eventRefusals,
    run: async ({ query: { room, after, limit }, caller }) => {
      const epoch = await requireEpochOf(after);
      const { events, next } = await readEvents(room, after?.seq, limit, caller);
      return new Answer(events, { 'X-Next-Cursor': writeCursor(epoch, next) });
    },
  }),
});
