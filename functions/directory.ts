import { directoryCursor, listDirectory, listedRoomSchema, nameStart } from '../lib/directory.ts';
import { endpoint } from '../lib/endpoint.ts';
import { operation } from '../lib/operation.ts';
import { answerRows, defaultLimit, pageLimit } from '../lib/pages.ts';
import { optional } from '../lib/parameters.ts';
import { listOf } from '../lib/schema.ts';

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
