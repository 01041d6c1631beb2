import { about, idOf, oneOf, optional } from '../lib/api/parameters.ts';
import { actOnMember } from '../lib/audit/acts-in-rooms.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { changeMember, memberChangeRefusals, memberChanges } from '../lib/members/change.ts';
import { findMember, memberSchema } from '../lib/members/members.ts';
import { removalRefusals, removeMember } from '../lib/members/remove.ts';

const path = { member: about('The member, by the `_id` of the membership, not of the user.', idOf('member')) };

/** `/api/members/{member}`: one user's membership of one room. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get a member of a room, as another member',
    access: 'user',
    scope: 'members:read',
    path,
    status: 200,
    remember: ['rooms', 'users', 'messages', 'reads'],
    answer: memberSchema,
    run: ({ path: { member }, caller }) => findMember(member, caller),
  }),
  PATCH: operation({
    summary: "Change the caller's read marker, mute or favourite settings, or change a member's role as an owner",
    access: 'user',
    scope: 'members:write',
    path,
    body: memberChanges,
    needsAny: true,
    status: 200,
    answer: memberSchema,
    refusals: memberChangeRefusals,
    security: ({ body: { role } }, { _id }) =>
      role === undefined ? undefined : { event: 'role changed', whom: _id.$oid, what: role },
    audit: ({ path: { member }, body: { role } }, caller) =>
      role === undefined ? [] : actOnMember(member, 'member.role_changed', caller, { role }),
    run: ({ path: { member }, body, caller }) => changeMember(member, body, caller),
  }),
  DELETE: operation({
    summary: 'Leave a room, or remove a member, optionally with a ban, as a moderator',
    access: 'user',
    scope: 'members:write',
    path,
    query: { ban: about('Whether to ban the user until the ban is lifted.', optional(oneOf('true', 'false'))) },
    status: 204,
    refusals: removalRefusals,
    security: ({ path: { member }, query: { ban } }) =>
      ban === 'true' ? { event: 'ban', whom: member.toHexString(), what: 'a member' } : undefined,
    audit: ({ path: { member }, query: { ban } }, caller) =>
      actOnMember(member, 'member.removed', caller, { ban: String(ban === 'true') }),
    run: ({ path: { member }, query: { ban }, caller }) => removeMember(member, { ban: ban === 'true' }, caller),
  }),
});
