import { preconditionOf } from '../lib/api/entity-tag.ts';
import { idOf } from '../lib/api/parameters.ts';
import { actOfRoomDeletion, actsOnRoom } from '../lib/audit/acts-in-rooms.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { deleteRoom, deletionTime } from '../lib/rooms/deletion.ts';
import { refusalsOf } from '../lib/rooms/permissions.ts';
import { findRoom, shownRoom } from '../lib/rooms/rooms.ts';
import { changeSettings, roomSettings, someRoomSettings } from '../lib/rooms/settings.ts';

const path = { room: idOf('room') };
const changing = {
  access: 'user',
  scope: 'rooms:write',
  path,
  status: 200,
  refusals: refusalsOf('change'),
  hasTag: true,
} as const;

/** `/api/rooms/{room}`: one room. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get a room that is visible or has the caller as a member',
    access: 'user',
    scope: 'rooms:read',
    path,
    status: 200,
    remember: ['rooms'],
    answer: shownRoom.schema,
    hasTag: true,
    run: ({ path: { room }, caller }) => findRoom(room, caller),
  }),
  PUT: operation({
    summary: 'Set the name and both flags of a room, as an owner',
    ...changing,
    body: roomSettings,
    answer: shownRoom.schema,
    audit: ({ path: { room } }, caller) => actsOnRoom(room, ['room.changed'], caller),
    run: ({ path: { room }, body, caller, request: { headers } }) => changeSettings(room, body, caller, preconditionOf(headers)),
  }),
  PATCH: operation({
    summary: 'Change the name or flags of a room, as an owner',
    ...changing,
    body: someRoomSettings,
    needsAny: true,
    answer: shownRoom.schema,
    audit: ({ path: { room } }, caller) => actsOnRoom(room, ['room.changed'], caller),
    run: ({ path: { room }, body, caller, request: { headers } }) => changeSettings(room, body, caller, preconditionOf(headers)),
  }),
  DELETE: operation({
    summary: 'Delete a room with everything in it; after a 503, repeat the request',
    access: 'admin',
    scope: 'rooms:write',
    path,
    status: 204,
    hasTag: true,
    security: ({ path: { room } }) => ({ event: 'room deleted', what: `room ${room.toHexString()}` }),
    audit: ({ path: { room } }) => actOfRoomDeletion(room),
    run: ({ path: { room }, request: { headers } }) =>
      deleteRoom(room, { time: deletionTime, precondition: preconditionOf(headers) }),
  }),
});
