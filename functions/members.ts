import { answerPage, answerRows, defaultLimit, pageLimit } from '../lib/api/pages.ts';
import { id, oneOf, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { invalidParameter, missingEvery } from '../lib/errors.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { join } from '../lib/members/join.ts';
import { listMembers, memberSchema } from '../lib/members/members.ts';
import { listOwnRooms, memberCursor } from '../lib/members/my-rooms.ts';
import { memberRole } from '../lib/rooms/rooms.ts';

/** `/api/members`: who is in a room, and in which rooms one is. */
export const handler = endpoint({
  GET: operation({
    summary: "List the members of a room, as one of them, or the caller's own memberships, most recently active rooms first",
    access: 'user',
    scope: 'members:read',
    query: { room: optional(id), user: optional(oneOf('me')), limit: pageLimit, after: optional(memberCursor) },
    status: 200,
    answer: listOf(memberSchema),
    refusals: { 403: ['Room membership required.'], 404: ['No such room.'] },
    run: async ({ query: { room, user, limit = defaultLimit, after }, caller, request }) => {
      if (room && user) throw invalidParameter('user', "not stand beside 'room'");
      if (room) return answerPage(await listMembers(room, { limit, after: after?.member }, caller.user), limit, request);
      if (user) return answerRows(await listOwnRooms({ limit, after }, caller.user), limit, request);
      throw missingEvery(['room', 'user']);
    },
  }),
  POST: operation({
    summary: 'Join an open room, or add another user as a moderator, or as an owner with a role',
    access: 'user',
    scope: 'members:write',
    body: { room: id, user: optional(id), role: optional(memberRole) },
    status: 201,
    answer: memberSchema,
    refusals: {
      403: ['The room is closed.', 'The user is banned from the room.', 'Room moderator required.', 'Room owner required.'],
      404: ['No such room.', 'No such user.'],
      409: ['The user is already a member.', 'The room is full.', 'The room is archived.'],
    },
    run: ({ body: { room, user, role = 'member' }, caller }) => join({ room, user: user ?? caller.user._id, role }, caller.user),
  }),
});
