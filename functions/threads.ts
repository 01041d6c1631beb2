import { pageLimit, pageStart } from '../lib/api/pages.ts';
import { about, oneOf, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { momentCursor } from '../lib/messages/search/across-rooms.ts';
import { listThreads, threadSchema } from '../lib/messages/threads.ts';

/** `/api/threads`: the threads that the caller follows. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the threads that the caller follows, latest reply first',
    access: 'user',
    scope: 'messages:read',
    query: {
      unread: about('Return only threads with unread replies.', optional(oneOf('true'))),
      limit: pageLimit,
      after: pageStart(momentCursor),
    },
    status: 200,
    remember: ['rooms', 'users', 'messages', 'threads'],
    answer: listOf(threadSchema),
    run: async ({ query, caller, request }) => answerList(await listThreads(query, caller), request),
  }),
});
