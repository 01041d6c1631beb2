import { sentOnce } from '../lib/api/idempotency.ts';
import { defaultLimit, pageLimit, withNext } from '../lib/api/pages.ts';
import { id, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { historyParameters, readHistory } from '../lib/messages/history.ts';
import { messageSchema, messageText } from '../lib/messages/messages.ts';
import { sendMessage } from '../lib/messages/send.ts';

/** `/api/messages`: the history of a room, and what comes next in it. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read or search the messages of a room, the newest unless asked otherwise',
    access: 'user',
    scope: 'messages:read',
    query: { room: id, limit: pageLimit, ...historyParameters },
    status: 200,
    answer: listOf(messageSchema),
    refusals: { 403: ['Room membership required.'], 404: ['No such room.'] },
    run: async ({ query: { room, limit = defaultLimit, ...wanted }, caller, request }) => {
      const { messages, next } = await readHistory(room, caller, wanted, limit);
      return withNext(messages, request, next);
    },
  }),
  POST: operation({
    summary: 'Send a message',
    access: 'user',
    scope: 'messages:write',
    body: { room: id, text: messageText, thread: optional(id) },
    status: 201,
    answer: messageSchema,
    isIdempotent: true,
    refusals: {
      403: ['Room membership required.'],
      404: ['No such room.', 'No such message.'],
      409: ['The room is archived.'],
    },
    run: async ({ body, caller, request }) =>
      sendMessage(caller, body, sentOnce(request, body.room, body.text, body.thread ?? null)),
  }),
});
