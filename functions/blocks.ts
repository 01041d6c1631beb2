import { pageParameters } from '../lib/api/pages.ts';
import { about, id, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { username } from '../lib/identity/account-names.ts';
import { blockRefusals, blockUser, listBlocked, unblockRefusals, unblockUser } from '../lib/identity/blocks.ts';
import { shownOtherUser } from '../lib/identity/users.ts';

/** `/api/blocks`: the users whose conversations are hidden from the caller. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the users that the caller has blocked',
    access: 'user',
    scope: 'account',
    query: pageParameters,
    status: 200,
    remember: ['users'],
    answer: listOf(shownOtherUser.schema),
    run: async ({ query, caller, request }) => answerList(await listBlocked(query, caller), request),
  }),
  POST: operation({
    summary:
      'Block a user, without notifying them: hides direct conversations, and prevents them from adding the caller to rooms',
    access: 'user',
    scope: 'account',
    body: {
      user: about('The id of the user to block; this or `username` is required.', optional(id)),
      username: about('The name of the user to block.', optional(username)),
    },
    status: 201,
    answer: shownOtherUser.schema,
    refusals: blockRefusals,
    run: ({ body, caller }) => blockUser(body, caller),
  }),
  DELETE: operation({
    summary: 'Unblock a user; messages sent in the meantime become visible',
    access: 'user',
    scope: 'account',
    query: { user: about('The user to unblock.', id) },
    status: 204,
    refusals: unblockRefusals,
    run: ({ query: { user }, caller }) => unblockUser(user, caller),
  }),
});
