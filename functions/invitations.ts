import { about } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { invitationCode, noSuchInvitation, showInvitation, shownInvitation } from '../lib/members/invitations.ts';

/** `/api/invitations`: shows an invitation to anybody who has its code. */
export const handler = endpoint({
  POST: operation({
    summary: 'Show the room and the creator of an invitation, without using it',
    access: 'anyone',
    // The code is in the body, so that it does not get into access logs.
    body: { invitation: about('The code of the invitation.', invitationCode) },
    status: 200,
    answer: shownInvitation,
    refusals: [noSuchInvitation],
    run: ({ body: { invitation }, caller }) => showInvitation(invitation, caller),
  }),
});
