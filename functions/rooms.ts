import { sentOnce } from '../lib/api/idempotency.ts';
import { answerPage, defaultLimit, pageParameters } from '../lib/api/pages.ts';
import { listOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { createRoom, createRoomOnce, listRooms, roomName, roomSchema } from '../lib/rooms/rooms.ts';

/** `/api/rooms`: all rooms, for admins. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the rooms, all of them when no page is asked for',
    access: 'admin',
    scope: 'rooms:read',
    query: pageParameters,
    status: 200,
    answer: listOf(roomSchema),
    refusals: { 413: ["The answer would exceed 6 MB: ask for it page by page with the 'limit' parameter."] },
    run: async ({ query: { limit = defaultLimit, after }, request }) =>
      Object.keys(request.query).length === 0 ? listRooms() : answerPage(await listRooms({ limit, after }), limit, request),
  }),
  POST: operation({
    summary: 'Create a room',
    access: 'admin',
    scope: 'rooms:write',
    body: { name: roomName },
    status: 201,
    answer: roomSchema,
    isIdempotent: true,
    run: async ({ body: { name }, caller, request }) => {
      const once = sentOnce(request, name);
      return once ? createRoomOnce(name, caller.user._id, once) : createRoom(name, caller.user._id);
    },
  }),
});
