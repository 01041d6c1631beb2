import { pageLimit } from '../lib/api/pages.ts';
import { id, oneOf, optional, withDefault } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { invalidParameter, missingEvery } from '../lib/errors.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { join, joinRefusals } from '../lib/members/join.ts';
import { listMembers, listRefusals, memberRole, memberSchema } from '../lib/members/members.ts';
import { listMyRooms, memberCursor } from '../lib/members/my-rooms.ts';

/** `/api/members`: who is in a room, and in which rooms the caller is. */
export const handler = endpoint({
  GET: operation({
    summary: "List the members of a room, as one of them, or the caller's own memberships, most recently active rooms first",
    access: 'user',
    scope: 'members:read',
    query: { room: optional(id), user: optional(oneOf('me')), limit: pageLimit, after: optional(memberCursor) },
    status: 200,
    answer: listOf(memberSchema),
    refusals: listRefusals,
    run: async ({ query: { room, user, limit, after }, caller, request }) => {
      if (room && user) throw invalidParameter('user', "not be combined with 'room'");
      if (room) return answerList(await listMembers(room, { limit, after: after?.member }, caller), request);
      if (user) return answerList(await listMyRooms({ limit, after }, caller), request);
      throw missingEvery(['room', 'user']);
    },
  }),
  POST: operation({
    summary: 'Join an open room, or add another user as a moderator, or as an owner with a role',
    access: 'user',
    scope: 'members:write',
    body: { room: id, user: optional(id), role: withDefault(memberRole, 'member') },
    status: 201,
    answer: memberSchema,
    refusals: joinRefusals,
    run: ({ body: { room, user, role }, caller }) => join({ room, user: user ?? caller.user._id, role }, caller),
  }),
});
