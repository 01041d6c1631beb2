import { about, idOf } from '../lib/api/parameters.ts';
import { actInRoom } from '../lib/audit/acts-in-rooms.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { invitationRefusals, noSuchInvitation, revokeInvitation } from '../lib/members/invitations.ts';

/** `/api/rooms/{room}/invitations/{invitation}`: one invitation. */
export const handler = endpoint({
  DELETE: operation({
    summary: 'Revoke an invitation at once: any as a moderator, your own as a member',
    access: 'user',
    scope: 'members:write',
    path: {
      room: idOf('room'),
      invitation: about('The invitation, by its `_id`, not by its code.', idOf('invitation')),
    },
    status: 204,
    refusals: [...invitationRefusals, noSuchInvitation],
    security: ({ path: { room, invitation } }) => ({
      event: 'invitation revoked',
      whom: invitation.toHexString(),
      what: `room ${room.toHexString()}`,
    }),
    audit: ({ path: { room, invitation } }, caller) => actInRoom(room, 'invitation.revoked', invitation, caller),
    run: ({ path: { room, invitation }, caller }) => revokeInvitation(room, invitation, caller),
  }),
});
