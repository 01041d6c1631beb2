import { preconditionOf } from '../lib/api/entity-tag.ts';
import { idOf } from '../lib/api/parameters.ts';
import { actsOfDetails } from '../lib/audit/acts-in-rooms.ts';
import { adminRequired } from '../lib/base/errors.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { changeDetails, detailChanges, findDetails, shownDetails } from '../lib/rooms/details.ts';
import { refusalsOf } from '../lib/rooms/permissions.ts';

const path = { room: idOf('room') };

/** `/api/rooms/{room}/details`: the fields of a room beyond the five in the specification. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get the details of a room, as a member',
    access: 'user',
    scope: 'rooms:read',
    path,
    status: 200,
    remember: ['rooms'],
    answer: shownDetails.schema,
    hasTag: true,
    refusals: refusalsOf('read'),
    run: ({ path: { room }, caller }) => findDetails(room, caller),
  }),
  PATCH: operation({
    summary:
      'Change the topic of a room, or archive or unarchive it, as an owner; put it on hold or make it a default room, as an administrator',
    access: 'user',
    scope: 'rooms:write',
    path,
    body: detailChanges,
    needsAny: true,
    status: 200,
    answer: shownDetails.schema,
    hasTag: true,
    refusals: [...refusalsOf('change'), adminRequired],
    audit: ({ path: { room }, body }, caller) => actsOfDetails(room, body, caller),
    security: ({ path: { room }, body: { is_held } }) =>
      is_held === undefined ? undefined : { event: is_held ? 'room held' : 'room released', what: `room ${room.toHexString()}` },
    run: ({ path: { room }, body, caller, request: { headers } }) => changeDetails(room, body, caller, preconditionOf(headers)),
  }),
});
