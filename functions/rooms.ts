import { idempotencyKeyOf } from '../lib/api/idempotency.ts';
import { optionalPageLimit, pageParameters } from '../lib/api/pages.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerTooLarge } from '../lib/base/errors.ts';
import { answerCreated, answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { createRoom, listAllRooms, listRooms, roomName, shownRoom } from '../lib/rooms/rooms.ts';
import { config } from '../lib/settings/config.ts';

/** `/api/rooms`: all rooms, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the rooms; without `limit` and `after`, all of them',
    access: 'admin',
    scope: 'rooms:read',
    isSpecified: true,
    query: { ...pageParameters, limit: optionalPageLimit },
    status: 200,
    remember: ['rooms'],
    answer: listOf(shownRoom.schema),
    refusals: [answerTooLarge],
    run: async ({ query: { limit, after }, request }) => {
      const isPage = limit !== undefined || after !== undefined;
      return isPage ? answerList(await listRooms({ limit: limit ?? config.pageSize, after }), request) : listAllRooms();
    },
  }),
  POST: operation({
    summary: 'Create a room, as an administrator; all users can use `POST /api/directory`',
    access: 'admin',
    scope: 'rooms:write',
    isSpecified: true,
    body: { name: roomName },
    status: 201,
    answer: shownRoom.schema,
    isIdempotent: true,
    run: async ({ body: { name }, caller, request: { headers } }) =>
      answerCreated(await createRoom({ name }, caller.user._id, { key: idempotencyKeyOf(headers, name) })),
  }),
});
