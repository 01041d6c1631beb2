import { id } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { banRefusals, liftBan } from '../lib/members/bans.ts';

/** `/api/bans`: who is kept out of a room. */
export const handler = endpoint({
  DELETE: operation({
    summary: 'Lift a ban, as a moderator, so that the user may join again',
    access: 'user',
    scope: 'members:write',
    query: { room: id, user: id },
    status: 204,
    refusals: banRefusals,
    run: ({ query: { room, user }, caller }) => liftBan(room, user, caller),
  }),
});
