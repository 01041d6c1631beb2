import { preconditionOf } from '../lib/api/entity-tag.ts';
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
    remember: ['rooms', 'users', 'messages'],
    answer: shownMessage.schema,
    hasTag: true,
    run: ({ path: { message }, caller }) => readMessage(message, caller),
  }),
  PATCH: operation({
    summary: "Change the text of the caller's own message",
    access: 'user',
    scope: 'messages:write',
    path,
    body: { text: messageText },
    status: 200,
    answer: shownMessage.schema,
    hasTag: true,
    refusals: editRefusals,
    run: ({ path: { message }, body: { text }, caller, request: { headers } }) =>
      editMessage(message, text, caller, preconditionOf(headers)),
  }),
  DELETE: operation({
    summary: 'Delete a message; it keeps its place and loses its text and its files',
    access: 'user',
    scope: 'messages:write',
    path,
    status: 204,
    hasTag: true,
    refusals: deleteMessageRefusals,
    run: ({ path: { message }, caller, request: { headers } }) => deleteMessage(message, caller, preconditionOf(headers)),
  }),
});
