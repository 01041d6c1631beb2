import { pageLimit, pageStart } from '../lib/api/pages.ts';
import { optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { directoryCursor, listDirectory, namePart, shownListedRoom } from '../lib/rooms/directory.ts';

/** `/api/directory`: the rooms that every user may see. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the visible rooms by name, optionally those that match `q`',
    access: 'user',
    scope: 'rooms:read',
    query: { q: optional(namePart), limit: pageLimit, after: pageStart(directoryCursor) },
    status: 200,
    remember: ['rooms'],
    answer: listOf(shownListedRoom.schema),
    run: async ({ query: { q, ...page }, request }) => answerList(await listDirectory(q, page), request),
  }),
});
