import { idempotencyKeyOf } from '../lib/api/idempotency.ts';
import { pageLimit } from '../lib/api/pages.ts';
import { about, id, optional, withDefault } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerCreated, withHeaders, withNext } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { fileIds } from '../lib/messages/attachments.ts';
import { historyParameters, historyRefusals } from '../lib/messages/history.ts';
import { messageText, requireContent, shownMessage } from '../lib/messages/messages.ts';
import { ignoredWordsHeader, readMessages, searchParameters } from '../lib/messages/search.ts';
import { sendMessage, sendRefusals } from '../lib/messages/send.ts';

/** `/api/messages`: the history of a room, what comes next in it, and a search of all rooms. */
export const handler = endpoint({
  GET: operation({
    summary: 'Read or search the messages of a room, the newest by default; without `room`, search all rooms of the caller',
    access: 'user',
    scope: 'messages:read',
    query: {
      room: about('Return messages of this room; without it, `q` searches all rooms of the caller.', optional(id)),
      limit: pageLimit,
      ...historyParameters,
      ...searchParameters,
    },
    status: 200,
    remember: ['rooms', 'users', 'messages'],
    answer: listOf(shownMessage.schema),
    headers: { 'X-Ignored-Words': ignoredWordsHeader },
    refusals: historyRefusals,
    run: async ({ query: { limit, ...wanted }, caller, request }) => {
      const { messages, next, ignoredWords } = await readMessages(wanted, limit, caller);
      const page = withNext(messages, request, next);
      return ignoredWords === undefined ? page : withHeaders(page, { 'X-Ignored-Words': String(ignoredWords) });
    },
  }),
  POST: operation({
    summary: 'Send a message: a text, files, or both',
    access: 'user',
    scope: 'messages:write',
    body: {
      room: about('The room to send to.', id),
      text: optional(messageText),
      files: withDefault(fileIds, []),
      thread: about('The message to reply to. A reply to a reply joins the thread of the first message.', optional(id)),
    },
    status: 201,
    answer: shownMessage.schema,
    isIdempotent: true,
    refusals: sendRefusals,
    run: async ({ body, caller, request: { headers } }) => {
      const { room, text = '', files, thread } = body;
      requireContent(body.text, files);
      const key = idempotencyKeyOf(headers, room, text, thread ?? null, ...(files.length > 0 ? [files] : []));
      return answerCreated(await sendMessage({ room, text, files, thread }, key, caller));
    },
  }),
});
