import { pathId } from '../lib/api/extended-json.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { deleteRoom, deletionTime } from '../lib/rooms/deletion.ts';
import { findRoom, roomSchema } from '../lib/rooms/rooms.ts';
import { changeSettings, roomSettings, someRoomSettings } from '../lib/rooms/settings.ts';

const changing = { access: 'user', scope: 'rooms:write', status: 200 } as const;

/** `/api/rooms/{room}`: one room. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get a room: a visible one, or one of which the caller is a member',
    access: 'user',
    scope: 'rooms:read',
    status: 200,
    answer: roomSchema,
    run: ({ path, caller }) => findRoom(pathId(path.room, 'room'), caller.user),
  }),
  PUT: operation({
    summary: "Set a room's name and both flags, as an owner",
    ...changing,
    body: roomSettings,
    answer: roomSchema,
    refusals: { 403: ['Room owner required.'] },
    run: ({ path, body, caller }) => changeSettings(pathId(path.room, 'room'), body, caller.user),
  }),
  PATCH: operation({
    summary: "Change a room's name or flags, as an owner",
    ...changing,
    body: someRoomSettings,
    needsAny: true,
    answer: roomSchema,
    refusals: { 403: ['Room owner required.'] },
    run: ({ path, body, caller }) => changeSettings(pathId(path.room, 'room'), body, caller.user),
  }),
  DELETE: operation({
    summary: 'Delete a room with all that is in it; 503 when there is so much that the request must be repeated',
    access: 'admin',
    scope: 'rooms:write',
    status: 204,
    run: ({ path }) => deleteRoom(pathId(path.room, 'room'), deletionTime),
  }),
});
