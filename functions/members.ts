import { requireEpochOf, sinceCursor, writeCursor } from '../lib/api/cursors.ts';
import { pageLimit, pageStart } from '../lib/api/pages.ts';
import { about, id, optional, withDefault } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { actOfAddition } from '../lib/audit/acts-in-rooms.ts';
import { invalidParameter, missingEvery } from '../lib/base/errors.ts';
import { answerList, withHeaders, withNext } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { username, usernamePart } from '../lib/identity/account-names.ts';
import { invitationCode } from '../lib/members/invitations.ts';
import { joinAs } from '../lib/members/join.ts';
import { joinRefusals } from '../lib/members/join-rules.ts';
import { listMembers, listRefusals, memberRole, memberSchema } from '../lib/members/members.ts';
import { listMyRooms, listSharedRooms, memberCursor, sinceHeader, whose } from '../lib/members/my-rooms.ts';

/** `/api/members`: the members of a room, and the rooms of a user. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the members of a `room`, or the memberships of a `user`',
    access: 'user',
    scope: 'members:read',
    query: {
      room: about('Return members of this room; this or `user` is required.', optional(id)),
      q: about(
        'Return members whose usernames or full names have words that start with those of `q`. Names that start with `q` come first.',
        optional(usernamePart),
      ),
      user: about(
        "`me` lists the caller's own memberships, an id those of another user in rooms where the caller is as well; the most recently active room first.",
        optional(whose),
      ),
      since: optional(sinceCursor),
      limit: pageLimit,
      after: pageStart(memberCursor),
    },
    status: 200,
    // A cursor for later that is remembered is from when the list was read: nothing has changed
    // since.
    remember: ['rooms', 'users', 'messages', 'reads', 'threads', 'epochs'],
    answer: listOf(memberSchema),
    headers: { 'X-Next-Cursor': sinceHeader },
    refusals: listRefusals,
    run: async ({ query: { room, q, user, since, limit, after }, caller, request }) => {
      if (room && user) throw invalidParameter('user', "not be combined with 'room'");
      if (room && since) throw invalidParameter('since', "not be combined with 'room'");
      if (q !== undefined && !room) throw invalidParameter('q', "not be used without 'room'");
      if (room) return answerList(await listMembers(room, { q, limit, after: after?.id }, caller), request);
      if (!user) throw missingEvery(['room', 'user']);
      if (user !== 'me' && !user.equals(caller.user._id)) {
        if (since) throw invalidParameter('since', "not be combined with another user's id");
        const { items, next } = await listSharedRooms(user, { limit, after }, caller);
        return withNext(items, request, next);
      }
      const epoch = await requireEpochOf(since);
      const { items, next, nextSince } = await listMyRooms({ limit, after, since: since?.at }, caller);
      return withHeaders(withNext(items, request, next), { 'X-Next-Cursor': writeCursor(epoch, nextSince.getTime()) });
    },
  }),
  POST: operation({
    summary:
      'Join an open `room`, join by `invitation`, or add another user, as a member or, if `INVITATIONS` is `moderators`, as a moderator (with a `role`, as an owner)',
    access: 'user',
    scope: 'members:write',
    body: {
      room: about('The room to join, or to add a user to; optional with `invitation`.', optional(id)),
      user: about('The id of the user to add; without it and `username`, the caller joins.', optional(id)),
      username: about('The name of the user to add.', optional(username)),
      invitation: about('The code of an invitation, also to a closed or hidden room.', optional(invitationCode)),
      role: withDefault(memberRole, 'member'),
    },
    status: 201,
    answer: memberSchema,
    refusals: joinRefusals,
    security: ({ body: { role } }, { _id }) =>
      role === 'member' ? undefined : { event: 'role changed', whom: _id.$oid, what: role },
    audit: ({ body }, caller) => actOfAddition(body, caller),
    run: ({ body, caller }) => joinAs(body, caller),
  }),
});
