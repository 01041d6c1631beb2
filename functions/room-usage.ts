import { idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { readRoomUsage, roomUsageSchema } from '../lib/members/room-usage.ts';
import { noSuchRoom } from '../lib/rooms/contexts.ts';

/** `/api/rooms/{room}/usage`: how much a room contains, for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'Count the members, messages, files, invitations and webhooks that deleting a room would remove',
    access: 'admin',
    path: { room: idOf('room') },
    status: 200,
    answer: roomUsageSchema,
    refusals: [noSuchRoom],
    run: ({ path: { room } }) => readRoomUsage(room),
  }),
});
