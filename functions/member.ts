import { pathId } from '../lib/api/extended-json.ts';
import { integer, oneOf, optional } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { changeMember } from '../lib/members/change.ts';
import { findMember, memberSchema } from '../lib/members/members.ts';
import { removeMember } from '../lib/members/remove.ts';
import { memberRole } from '../lib/rooms/rooms.ts';

/** `/api/members/{member}`: one user's place in one room. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get a member, as one of the same room',
    access: 'user',
    scope: 'members:read',
    status: 200,
    answer: memberSchema,
    run: ({ path, caller }) => findMember(pathId(path.member, 'member'), caller.user),
  }),
  PATCH: operation({
    summary: "Move one's own read marker forwards, or change a member's role, as an owner",
    access: 'user',
    scope: 'members:write',
    body: { last_read: optional(integer(0, Number.MAX_SAFE_INTEGER)), role: optional(memberRole) },
    needsAny: true,
    status: 200,
    answer: memberSchema,
    refusals: {
      403: ['Room owner required.', 'Only members themselves know what they have read.'],
      409: ['The last owner must stay an owner.'],
    },
    run: ({ path, body, caller }) => changeMember(pathId(path.member, 'member'), body, caller.user),
  }),
  DELETE: operation({
    summary: 'Leave a room, or put someone out of it, as a moderator, and keep them out with a ban',
    access: 'user',
    scope: 'members:write',
    query: { ban: optional(oneOf('true', 'false')) },
    status: 204,
    refusals: {
      403: ['Room moderator required.', 'Room owner required.'],
      409: ['The last owner must stay while others remain.'],
    },
    run: ({ path, query, caller }) => removeMember(pathId(path.member, 'member'), { ban: query.ban === 'true' }, caller.user),
  }),
});
