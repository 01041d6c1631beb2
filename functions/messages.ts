import { pageLimit } from '../lib/api/pages.ts';
import { about, flag, id, optional, withDefault } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { invalidParameter } from '../lib/base/errors.ts';
import { answerCreated, withHeaders, withNext } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { fileIds } from '../lib/messages/attachments/attachments.ts';
import { contentIn, contentParameters } from '../lib/messages/content.ts';
import { historyParameters, historyRefusals } from '../lib/messages/history.ts';
import { messageText, requireContent, shownMessage } from '../lib/messages/messages.ts';
import { ignoredWordsHeader, readMessages, searchParameters } from '../lib/messages/search/search.ts';
import { keyOfMessage } from '../lib/messages/sending/replay.ts';
import { sendMessage, sendRefusals } from '../lib/messages/sending/send.ts';
import { startRefusals } from '../lib/messages/streaming/start.ts';

/**
 * `/api/messages`: the history of a room, a search in one room or all rooms, and the caller's
 * mentions.
 */
export const handler = endpoint({
  GET: operation({
    summary:
      'Read or search the messages of a room, newest first by default; without `room`, search all rooms of the caller or list mentions',
    access: 'user',
    scope: 'messages:read',
    query: {
      room: about(
        'Return messages of this room; without it, `q` searches all rooms of the caller, and `mentions` lists the mentions in them.',
        optional(id),
      ),
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
      is_streaming: about(
        'True: the text follows in chunks, by PATCH. For bots and agents; `text` is then optional.',
        optional(flag),
      ),
      is_in_room: about('Whether a reply is also shown in the room; by default only in its thread.', optional(flag)),
      ...contentParameters,
    },
    status: 201,
    answer: shownMessage.schema,
    isIdempotent: true,
    refusals: [...sendRefusals, ...startRefusals],
    run: async ({ body, caller, request: { headers } }) => {
      const { room, text = '', files, thread, is_in_room, is_streaming: isStreaming } = body;
      const content = contentIn(body);
      if (isStreaming && content.question) throw invalidParameter('actions', "be left out with 'is_streaming'");
      if (!isStreaming) requireContent(body.text, files);
      const sent = { room, text, files, thread, is_in_room, isStreaming, ...content };
      return answerCreated(await sendMessage(sent, keyOfMessage(headers, sent), caller));
    },
  }),
});
