import { answerRows, defaultLimit, pageLimit } from '../lib/api/pages.ts';
import { optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { directoryCursor, listDirectory, listedRoomSchema, nameStart } from '../lib/rooms/directory.ts';

/** `/api/directory`: the rooms that anyone may see. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the visible rooms by name, all or those whose name starts with a text',
    access: 'user',
    scope: 'rooms:read',
    query: { q: optional(nameStart), limit: pageLimit, after: optional(directoryCursor) },
    status: 200,
    answer: listOf(listedRoomSchema),
    run: async ({ query: { q, limit = defaultLimit, after }, request }) =>
      answerRows(await listDirectory(q, { limit, after }), limit, request),
  }),
});
