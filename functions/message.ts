import { idOf } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { deleteMessage, deleteMessageRefusals, editMessage, editRefusals } from '../lib/messages/edit.ts';
import { messageText, readMessage, shownMessage } from '../lib/messages/messages.ts';

const path = { message: idOf('message') };

/** `/api/messages/{message}`: one message. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read a message',
    access: 'user',
    scope: 'messages:read',
    path,
    status: 200,
    answer: shownMessage.schema,
    run: ({ path: { message }, caller }) => readMessage(message, caller),
  }),
  PATCH: operation({
    summary: "Change the text of one's own message",
    access: 'user',
    scope: 'messages:write',
    path,
    body: { text: messageText },
    status: 200,
    answer: shownMessage.schema,
    refusals: editRefusals,
    run: ({ path: { message }, body: { text }, caller }) => editMessage(message, text, caller),
  }),
  DELETE: operation({
    summary: 'Delete a message, which keeps its place and loses its text',
    access: 'user',
    scope: 'messages:write',
    path,
    status: 204,
    refusals: deleteMessageRefusals,
    run: ({ path: { message }, caller }) => deleteMessage(message, caller),
  }),
});
