import { inviteByMail, sentInvitation, sentInvitationRefusals } from '../lib/accounts/invitation-mails.ts';
import { idOf } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { actInRoom } from '../lib/audit/acts-in-rooms.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { invitationRefusals, invitationSchema, listInvitations, newInvitationSchema } from '../lib/members/invitations.ts';

const path = { room: idOf('room') };

/** `/api/rooms/{room}/invitations`: codes that make their holders members. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the valid invitations to a room: all as a moderator, your own as a member',
    access: 'user',
    scope: 'members:read',
    path,
    status: 200,
    answer: listOf(invitationSchema),
    refusals: invitationRefusals,
    run: ({ path: { room }, caller }) => listInvitations(room, caller),
  }),
  POST: operation({
    summary:
      'Create an invitation to a room, as a member or, if `INVITATIONS` is `moderators`, as a moderator, and optionally e-mail it; its `code` is shown only once',
    access: 'user',
    scope: 'members:write',
    path,
    body: sentInvitation,
    status: 201,
    answer: newInvitationSchema,
    refusals: sentInvitationRefusals,
    security: ({ path: { room }, body: { email } }, { _id }) => ({
      event: email === undefined ? 'invitation made' : 'invitation sent by e-mail',
      whom: _id.$oid,
      what: `room ${room.toHexString()}`,
    }),
    audit: ({ path: { room }, body: { email } }, caller) =>
      email === undefined
        ? actInRoom(room, 'invitation.created', undefined, caller)
        : actInRoom(room, 'invitation.mailed', undefined, caller, { email }),
    run: ({ path: { room }, body, caller, request: { source } }) => inviteByMail(room, body, caller, source),
  }),
});
