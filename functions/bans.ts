import { id } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { liftBan } from '../lib/members/bans.ts';

/** `/api/bans`: who is kept out of a room. */
export const handler = endpoint({
  DELETE: operation({
    summary: 'Lift a ban, as a moderator; whoever was banned may join again',
    access: 'user',
    scope: 'members:write',
    query: { room: id, user: id },
    status: 204,
    refusals: { 403: ['Room moderator required.'], 404: ['No such room.', 'No such ban.'] },
    run: ({ query: { room, user }, caller }) => liftBan(room, user, caller.user),
  }),
});
