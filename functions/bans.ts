import { pageParameters } from '../lib/api/pages.ts';
import { about, id } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { actOnBan } from '../lib/audit/acts-in-rooms.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { banRefusals, banSchema, liftBan, listBans, listBansRefusals } from '../lib/members/bans.ts';

/** `/api/bans`: the users who are banned from a room. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the banned users of a room, as a moderator',
    access: 'user',
    scope: 'members:read',
    query: { room: about('List the bans of this room.', id), ...pageParameters },
    status: 200,
    remember: ['rooms', 'users'],
    answer: listOf(banSchema),
    refusals: listBansRefusals,
    run: async ({ query: { room, ...page }, caller, request }) => answerList(await listBans(room, page, caller), request),
  }),
  DELETE: operation({
    summary: 'Lift a ban, as a moderator; the user may join again',
    access: 'user',
    scope: 'members:write',
    query: { room: about('The room of the ban.', id), user: about('The banned user.', id) },
    status: 204,
    refusals: banRefusals,
    security: ({ query: { room, user } }) => ({
      event: 'ban lifted',
      whom: user.toHexString(),
      what: `room ${room.toHexString()}`,
    }),
    audit: ({ query: { room, user } }, caller) => actOnBan(room, user, caller),
    run: ({ query: { room, user }, caller }) => liftBan(room, user, caller),
  }),
});
