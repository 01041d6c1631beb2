import { idempotencyKeyOf } from '../lib/api/idempotency.ts';
import { pageLimit, pageStart } from '../lib/api/pages.ts';
import { optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerCreated, answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { createRoomFor, newRoomParameters, newRoomRefusals, requireRoomCreation } from '../lib/members/new-room.ts';
import { directoryCursor, listDirectory, namePart, shownListedRoom } from '../lib/rooms/directory.ts';
import { shownRoom } from '../lib/rooms/rooms.ts';

/** `/api/directory`: the rooms that every user may see, and new rooms. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the visible rooms by name, optionally those that match `q`',
    access: 'user',
    scope: 'rooms:read',
    query: { q: optional(namePart), limit: pageLimit, after: pageStart(directoryCursor) },
    status: 200,
    remember: ['rooms'],
    answer: listOf(shownListedRoom.schema),
    run: async ({ query: { q, ...page }, request }) => answerList(await listDirectory(q, page), request),
  }),
  POST: operation({
    summary: 'Create a room of any kind, which the caller owns; only administrators can if `ROOM_CREATION` is `admins`',
    access: 'user',
    scope: 'rooms:write',
    permit: ({ caller }) => requireRoomCreation(caller),
    body: newRoomParameters,
    status: 201,
    answer: shownRoom.schema,
    isIdempotent: true,
    refusals: newRoomRefusals,
    run: async ({ body, caller, request: { headers } }) =>
      answerCreated(await createRoomFor(body, caller, idempotencyKeyOf(headers, body))),
  }),
});
