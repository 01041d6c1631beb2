import { pathId } from '../lib/api/extended-json.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { deleteMessage, editMessage } from '../lib/messages/edit.ts';
import { messageSchema, messageText, readMessage } from '../lib/messages/messages.ts';

/** `/api/messages/{message}`: one message. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read a message',
    access: 'user',
    scope: 'messages:read',
    status: 200,
    answer: messageSchema,
    run: async ({ path, caller }) => readMessage(pathId(path.message, 'message'), caller),
  }),
  PATCH: operation({
    summary: 'Give a message of your own another text',
    access: 'user',
    scope: 'messages:write',
    body: { text: messageText },
    status: 200,
    answer: messageSchema,
    refusals: { 403: ['Message author required.'], 409: ['The message is deleted.', 'The room is archived.'] },
    run: async ({ path, body, caller }) => editMessage(pathId(path.message, 'message'), caller, body.text),
  }),
  DELETE: operation({
    summary: 'Delete a message, which keeps its place and loses its text',
    access: 'user',
    scope: 'messages:write',
    status: 204,
    refusals: { 403: ['Room moderator required.'] },
    run: async ({ path, caller }) => deleteMessage(pathId(path.message, 'message'), caller),
  }),
});
