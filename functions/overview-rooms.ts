import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { listManagedRooms, managedSearch, shownManagedRoom } from '../lib/rooms/managed-rooms.ts';

/** `/api/overview/rooms`: all rooms by name, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'List all rooms by name, including hidden and archived ones, optionally those that match `q`',
    access: 'admin',
    query: managedSearch,
    status: 200,
    answer: listOf(shownManagedRoom.schema),
    run: async ({ query, request }) => answerList(await listManagedRooms(query), request),
  }),
});
