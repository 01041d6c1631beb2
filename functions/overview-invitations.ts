import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { listAllInvitations, listedInvitationSchema, madeParameters } from '../lib/members/all-made.ts';

/** `/api/overview/invitations`: the invitations to all rooms, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the valid invitations to all rooms, with their creators',
    access: 'admin',
    query: madeParameters,
    status: 200,
    answer: listOf(listedInvitationSchema),
    run: async ({ query, request }) => answerList(await listAllInvitations(query), request),
  }),
});
