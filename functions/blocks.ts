import { pageParameters } from '../lib/api/pages.ts';
import { about, id, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { blockRefusals, blockUser, listBlocked, unblockRefusals, unblockUser } from '../lib/identity/blocks.ts';
import { shownOtherUser, username } from '../lib/identity/users.ts';

/** `/api/blocks`: whose conversations the caller does not want to see. */
export const handler = endpoint({
  GET: operation({
    summary: 'List whom the caller has blocked',
    access: 'user',
    scope: 'account',
    query: pageParameters,
    status: 200,
    answer: listOf(shownOtherUser.schema),
    run: async ({ query, caller, request }) => answerList(await listBlocked(query, caller), request),
  }),
  POST: operation({
    summary:
      'Block a user, by id or name: their direct conversations are not shown to the caller any more, they cannot add the caller to rooms, and nobody else notices',
    access: 'user',
    scope: 'account',
    body: {
      user: about('Who is blocked, by id; this or `username` is required.', optional(id)),
      username: about('Who is blocked, by name.', optional(username)),
    },
    status: 201,
    answer: shownOtherUser.schema,
    refusals: blockRefusals,
    run: ({ body, caller }) => blockUser(body, caller),
  }),
  DELETE: operation({
    summary: 'Unblock a user: what was written meanwhile is there',
    access: 'user',
    scope: 'account',
    query: { user: about('Who is blocked no more.', id) },
    status: 204,
    refusals: unblockRefusals,
    run: ({ query: { user }, caller }) => unblockUser(user, caller),
  }),
});
