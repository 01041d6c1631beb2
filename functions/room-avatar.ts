import { idOf } from '../lib/api/parameters.ts';
import { actsOnRoom } from '../lib/audit/acts-in-rooms.ts';
import { askedVersion, readAvatarRefusals } from '../lib/files/avatars.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { readRoomAvatar, removeRoomAvatar, setRoomAvatar, setRoomAvatarRefusals } from '../lib/rooms/avatars.ts';
import { noSuchRoom } from '../lib/rooms/contexts.ts';
import { shownDetails } from '../lib/rooms/details.ts';
import { refusalsOf } from '../lib/rooms/permissions.ts';

const path = { room: idOf('room') };

/** `/api/rooms/{room}/avatar`: the picture of a room. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read the picture of a room that is visible or has the caller as a member',
    access: 'user',
    scope: 'rooms:read',
    path,
    query: { version: askedVersion },
    status: 200,
    givesBytes: 'picture',
    refusals: [noSuchRoom, ...readAvatarRefusals],
    run: ({ path: { room }, query: { version }, caller }) => readRoomAvatar(room, version, caller),
  }),
  PUT: operation({
    summary: 'Set the picture of a room, as an owner: the bytes of a square WebP, PNG or JPEG, at most 64 kB',
    access: 'user',
    scope: 'rooms:write',
    path,
    takesBytes: true,
    status: 200,
    answer: shownDetails.schema,
    refusals: setRoomAvatarRefusals,
    audit: ({ path: { room } }, caller) => actsOnRoom(room, ['room.changed'], caller),
    run: ({ path: { room }, bytes, caller }) => setRoomAvatar(room, bytes, caller),
  }),
  DELETE: operation({
    summary: 'Remove the picture of a room, as an owner',
    access: 'user',
    scope: 'rooms:write',
    path,
    status: 204,
    refusals: refusalsOf('change'),
    audit: ({ path: { room } }, caller) => actsOnRoom(room, ['room.changed'], caller),
    run: ({ path: { room }, caller }) => removeRoomAvatar(room, caller),
  }),
});
