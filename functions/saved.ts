import { pageLimit, pageStart } from '../lib/api/pages.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { listSaved, savedParameters, shownSaved } from '../lib/messages/saved.ts';
import { momentCursor } from '../lib/messages/search/across-rooms.ts';

/** `/api/saved`: the messages that the caller has saved. */
export const handler = endpoint({
  GET: operation({
    summary: "List the caller's saved messages that are still readable, last saved first, or those with a reminder",
    access: 'user',
    scope: 'messages:read',
    query: { ...savedParameters, limit: pageLimit, after: pageStart(momentCursor) },
    status: 200,
    remember: ['saved', 'rooms', 'users', 'messages'],
    answer: listOf(shownSaved.schema),
    run: async ({ query, caller, request }) => answerList(await listSaved(query, caller), request),
  }),
});
