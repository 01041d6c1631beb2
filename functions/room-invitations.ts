import { idOf } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { actInRoom } from '../lib/audit/acts.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import {
  invitationParameters,
  invitationRefusals,
  invitationSchema,
  invite,
  inviteRefusals,
  listInvitations,
  newInvitationSchema,
} from '../lib/members/invitations.ts';

const path = { room: idOf('room') };

/** `/api/rooms/{room}/invitations`: what makes members of those who have it. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the valid invitations to a room, as a moderator',
    access: 'user',
    scope: 'members:read',
    path,
    status: 200,
    answer: listOf(invitationSchema),
    refusals: invitationRefusals,
    run: ({ path: { room }, caller }) => listInvitations(room, caller),
  }),
  POST: operation({
    summary: 'Create an invitation to a room, as a moderator; its `code` is shown only once',
    access: 'user',
    scope: 'members:write',
    path,
    body: invitationParameters,
    status: 201,
    answer: newInvitationSchema,
    refusals: inviteRefusals,
    security: ({ path: { room } }, { _id }) => ({ event: 'invitation made', whom: _id.$oid, what: `room ${room.toHexString()}` }),
    audit: ({ path: { room } }, caller) => actInRoom(room, 'invitation.created', undefined, caller),
    run: ({ path: { room }, body, caller }) => invite(room, body, caller),
  }),
});
