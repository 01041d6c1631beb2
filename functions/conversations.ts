import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { conversationRefusals, openConversation, people } from '../lib/rooms/conversations.ts';
import { shownRoom } from '../lib/rooms/rooms.ts';

/** `/api/conversations`: the direct conversation of a set of people. */
export const handler = endpoint({
  POST: operation({
    summary: 'Open the direct conversation with one or more users, and create it if necessary',
    access: 'user',
    scope: 'rooms:write',
    body: { users: people },
    status: 201,
    answer: shownRoom.schema,
    refusals: conversationRefusals,
    run: ({ body: { users }, caller }) => openConversation(users, caller),
  }),
});
