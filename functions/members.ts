import { requireEpochOf, sinceCursor, writeCursor } from '../lib/api/cursors.ts';
import { pageLimit, pageStart } from '../lib/api/pages.ts';
import { about, id, oneOf, optional, withDefault } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { invalidParameter, missingEvery } from '../lib/errors.ts';
import { answerList, withHeaders, withNext } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { username, usernamePart } from '../lib/identity/users.ts';
import { invitationCode } from '../lib/members/invitations.ts';
import { joinAs, joinRefusals } from '../lib/members/join.ts';
import { listMembers, listRefusals, memberRole, memberSchema } from '../lib/members/members.ts';
import { listMyRooms, memberCursor, sinceHeader } from '../lib/members/my-rooms.ts';

/** `/api/members`: who is in a room, and in which rooms the caller is. */
export const handler = endpoint({
  GET: operation({
    summary:
      "List the members of a room, as one of them, all or those of whose names `q` is a part, or the caller's own memberships, those in the most recently active rooms first, and only in rooms that moved `since` a time if one is given",
    access: 'user',
    scope: 'members:read',
    query: {
      room: about('Whose members are listed; this or `user` is required.', optional(id)),
      q: about(
        'Only members with this part in their names: the beginning of one or more of their words. Names that begin with it come first.',
        optional(usernamePart),
      ),
      user: about("`me` lists the caller's own memberships, the room with the latest activity first.", optional(oneOf('me'))),
      since: optional(sinceCursor),
      limit: pageLimit,
      after: pageStart(memberCursor),
    },
    status: 200,
    answer: listOf(memberSchema),
    headers: { 'X-Next-Cursor': sinceHeader },
    refusals: listRefusals,
    run: async ({ query: { room, q, user, since, limit, after }, caller, request }) => {
      if (room && user) throw invalidParameter('user', "not be combined with 'room'");
      if (room && since) throw invalidParameter('since', "not be combined with 'room'");
      if (q !== undefined && !room) throw invalidParameter('q', "not be used without 'room'");
      if (room) return answerList(await listMembers(room, { q, limit, after: after?.id }, caller), request);
      if (!user) throw missingEvery(['room', 'user']);
      const epoch = await requireEpochOf(since);
      const { items, next, nextSince } = await listMyRooms({ limit, after, since: since?.at }, caller);
      return withHeaders(withNext(items, request, next), { 'X-Next-Cursor': writeCursor(epoch, nextSince.getTime()) });
    },
  }),
  POST: operation({
    summary:
      'Join an open `room`, or any with the code of an `invitation`, or add another user, by id or name, as a moderator, or as an owner with a role',
    access: 'user',
    scope: 'members:write',
    body: {
      room: about('The room to join, or to add someone to; with `invitation` it may be left out.', optional(id)),
      user: about('Who is added, by id; without it and `username`, the caller joins.', optional(id)),
      username: about('Who is added, by name.', optional(username)),
      invitation: about(
        'The code of an invitation, with which the caller also joins rooms that are closed or hidden.',
        optional(invitationCode),
      ),
      role: withDefault(memberRole, 'member'),
    },
    status: 201,
    answer: memberSchema,
    refusals: joinRefusals,
    security: ({ body: { role } }, { _id }) =>
      role === 'member' ? undefined : { event: 'role changed', whom: _id.$oid, what: role },
    run: ({ body, caller }) => joinAs(body, caller),
  }),
});
