import { preconditionOf } from '../lib/api/entity-tag.ts';
import { idOf, optional } from '../lib/api/parameters.ts';
import { missingParameter } from '../lib/base/errors.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { deleteMessage, deleteMessageRefusals, editMessage, editRefusals } from '../lib/messages/edit.ts';
import { messageText, readMessage, shownMessage } from '../lib/messages/messages.ts';
import { appendChunk, appendRefusals } from '../lib/messages/streaming/append.ts';
import { chunkOf, chunkParameters } from '../lib/messages/streaming/chunks.ts';

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
    summary: "Change the text of the caller's own message, or append to one that streams",
    access: 'user',
    scope: 'messages:write',
    path,
    body: { text: optional(messageText), ...chunkParameters },
    // Chunks have a rate of their own.
    isUncounted: (body) => 'append' in body,
    status: 200,
    answer: shownMessage.schema,
    hasTag: true,
    refusals: [...editRefusals, ...appendRefusals],
    run: async ({ path: { message }, body: { text, ...sent }, caller, request: { headers } }) => {
      const chunk = chunkOf(sent, text);
      if (chunk) return appendChunk(message, chunk, caller);
      if (text === undefined) throw missingParameter('text');
      return editMessage(message, text, caller, preconditionOf(headers));
    },
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
