import { toObjectId } from '../../api/extended-json.ts';
import { pageLimit } from '../../api/pages.ts';
import { about, dateTime, flag, id, optional, type Parameter, requireAtMostOne } from '../../api/parameters.ts';
import { described, listOf, record } from '../../api/schema.ts';
import { missingEvery } from '../../base/errors.ts';
import type { Caller } from '../../identity/caller.ts';
import { readMessage } from '../../messages/messages.ts';
import { readMessages as readOrSearch, searchParameters } from '../../messages/search/search.ts';
import { findSeqAt } from '../../messages/time.ts';
import { findReadableRoom } from '../../rooms/permissions.ts';
import { findMarker } from '../../rooms/read-markers.ts';
import { bytesOf, fitResult, mostBytes } from '../fitting.ts';
import { historyQuery, readPage, withMessages } from '../pages.ts';
import { findPersonId, findRoomId, personParameter, roomParameter } from '../places.ts';
import {
  describeMessages,
  messageSchema,
  messagesSchema,
  moreOf,
  nextCursor,
  notice,
  noticeSchema,
  showForAgent,
} from '../shown.ts';
import { reads, tool } from '../tool.ts';

type Place = { side: 'before' | 'after'; seq: number };

/** The start of a page of a room's messages. */
const placeCursor: Parameter<Place> = {
  read: (sent) => {
    const [, side, seq] = (typeof sent === 'string' && /^(before|after):(\d{1,15})$/.exec(sent)) || [];
    return side === undefined ? undefined : { side: side as Place['side'], seq: Number(seq) };
  },
  about: 'The `next_cursor` of the page before.',
  rule: 'be a cursor of this tool',
  schema: { type: 'string', pattern: '^(before|after):\\d{1,15}$' },
};

const cursorOf = (next: Record<string, string> | undefined): string | undefined =>
  next && Object.entries(next).map(([side, seq]) => `${side}:${seq}`)[0];

/** A page of messages as the result of a tool. */
function pageOf(title: string, messages: Parameters<typeof showForAgent>[0][], next: string | undefined, caller: Caller) {
  const shown = messages.map((message) => showForAgent(message, caller.user._id));
  return {
    structured: { notice, messages: shown, ...(next !== undefined && { next_cursor: next }) },
    text: describeMessages(title, shown, next),
  };
}

export const readMessages = tool({
  name: 'read_messages',
  title: 'Read messages',
  description:
    'Read messages of a room in the order of sending: the newest, those that are unread, or those since a time. Replies are in their threads: read_thread.',
  effect: reads,
  scopes: ['messages:read'],
  input: {
    room: roomParameter,
    unread: about('Whether to read only what the account has not read.', optional(flag)),
    since: about('Read messages from this time on, the earliest first.', optional(dateTime)),
    cursor: optional(placeCursor),
    limit: pageLimit,
  },
  output: messagesSchema,
  run: async ({ room, unread, since, cursor, limit }, caller) => {
    requireAtMostOne(['unread', 'since', 'cursor'], { unread: unread || undefined, since, cursor });
    const found = await findRoomId(room, caller);
    const start = cursor ?? (await startOf(found, { unread, since }, caller));
    return fitResult(limit, async (limit) => {
      const wanted = { is_in_room: 'true' as const, ...(start && { [start.side]: start.seq }) };
      const { messages, next } = await readPage(found, wanted, limit, caller);
      return pageOf('Messages', messages, cursorOf(next), caller);
    });
  },
});

/** Where to begin to read a room. */
async function startOf(
  room: Parameters<typeof findMarker>[0],
  { unread, since }: { unread: boolean | undefined; since: Date | undefined },
  caller: Caller,
): Promise<Place | undefined> {
  if (!unread && !since) return undefined;
  const context = await findReadableRoom(room, caller);
  if (unread) return { side: 'after', seq: (await findMarker(room, caller.user._id)).seq };
  const first = since && (await findSeqAt(context, since));
  return { side: 'after', seq: first === undefined ? context.seq : first - 1 };
}

const threadSchema = record(
  'ThreadMessages',
  {
    notice: noticeSchema,
    root: described('The message that began the thread; on the first page.', messageSchema),
    messages: listOf(messageSchema),
    next_cursor: nextCursor,
  },
  ['root', 'next_cursor'],
);

export const readThread = tool({
  name: 'read_thread',
  title: 'Read a thread',
  description: 'Read the message that began a thread and its replies, the earliest first.',
  effect: reads,
  scopes: ['messages:read'],
  input: {
    message: about('The message that began the thread, or one of its replies.', id),
    cursor: optional(placeCursor),
    limit: pageLimit,
  },
  output: threadSchema,
  run: async ({ message, cursor, limit }, caller) => {
    const asked = await readMessage(message, caller);
    const root = asked.thread ? await readMessage(toObjectId(asked.thread), caller) : asked;
    const shown = showForAgent(root, caller.user._id);
    const above = cursor ? '' : `${describeMessages('The message that began the thread', [shown])}\n`;
    const start = cursor ? { [cursor.side]: cursor.seq } : { after: 0 };
    const page = await fitResult(limit, async (limit) => {
      const wanted = { thread: toObjectId(root._id), ...start };
      const { messages, next } = await readPage(toObjectId(root.room), wanted, limit, caller);
      const { structured, text } = pageOf('Replies', messages, cursorOf(next), caller);
      return { structured: { ...structured, ...(!cursor && { root: shown }) }, text: above + text };
    });
    if (cursor || bytesOf(page) <= mostBytes) return page;
    // The message and its first reply are both very long.
    const next = 'after:0';
    return { structured: { notice, root: shown, messages: [], next_cursor: next }, text: `${above}${moreOf(next)}` };
  },
});

export const searchMessages = tool({
  name: 'search_messages',
  title: 'Search messages',
  description: "Search the messages of a room, or of all of the account's rooms; or list the messages that mention the account.",
  effect: reads,
  scopes: ['messages:read'],
  input: {
    q: searchParameters.q,
    room: optional(roomParameter),
    from: about('Find only messages of this person or bot: an id or a username.', optional(personParameter)),
    since: searchParameters.since,
    until: searchParameters.until,
    has: searchParameters.has,
    order: searchParameters.order,
    mentions_me: about('List what mentions the account in all rooms, the newest first; instead of `q`.', optional(flag)),
    cursor: about('The `next_cursor` of the page before. A page may be empty and still have one.', searchParameters.cursor),
    limit: pageLimit,
  },
  output: messagesSchema,
  run: async ({ q, room, from, mentions_me, limit, ...filters }, caller) => {
    if (q === undefined && !mentions_me) throw missingEvery(['q', 'mentions_me']);
    requireAtMostOne(['q', 'mentions_me'], { q, mentions_me: mentions_me || undefined });
    const within = room === undefined ? undefined : await findRoomId(room, caller);
    const user = from === undefined ? undefined : await findPersonId(from);
    const mentions = mentions_me ? ('me' as const) : undefined;
    return fitResult(limit, async (limit) => {
      const wanted = { ...historyQuery({ user, mentions }), q, room: within, ...filters };
      const { messages, next } = withMessages(await readOrSearch(wanted, limit, caller));
      return pageOf('Found', messages, next?.cursor ?? cursorOf(next), caller);
    });
  },
});
