import { toObjectId } from '../../api/extended-json.ts';
import { about, integer, optional, withDefault } from '../../api/parameters.ts';
import { aCount, described, listOf, record } from '../../api/schema.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Member } from '../../members/members.ts';
import { listMyRooms, memberCursor } from '../../members/my-rooms.ts';
import { bytesOf, mostBytes } from '../fitting.ts';
import { readPage } from '../pages.ts';
import { describeMessages, messageSchema, moreOf, notice, noticeSchema, showForAgent } from '../shown.ts';
import { reads, tool } from '../tool.ts';
import { roomSchema, showRoom, titleOf } from './rooms.ts';

/** How many memberships are looked at, and how many of them are read at a time. */
const mostRooms = 1_000;
const pageSize = 200;

const unreadRoom = record('UnreadRoom', {
  room: roomSchema,
  messages: described('Its unread messages, the earliest first.', listOf(messageSchema)),
  left_out: described('Unread messages that are not in this result: read_messages with `unread` has them.', aCount),
});

export const catchUp = tool({
  name: 'catch_up',
  title: 'Catch up',
  description:
    'Read unread messages, room by room. Rooms with mentions of the account come first, then direct conversations. Muted rooms are left out unless they mention the account. Nothing is marked as read: mark_read does that.',
  effect: reads,
  scopes: ['members:read', 'messages:read'],
  input: {
    messages_per_room: about('The most messages of a room.', withDefault(integer(1, 50), 10)),
    cursor: about('The `next_cursor` of the page before.', optional(integer(1, mostRooms))),
  },
  output: record(
    'Unread',
    {
      notice: noticeSchema,
      unread_rooms: described('The number of rooms with unread messages.', aCount),
      rooms: listOf(unreadRoom),
      next_cursor: described('Pass it as `cursor` to get the next rooms. Absent on the last page.', aCount),
    },
    ['next_cursor'],
  ),
  run: async ({ messages_per_room: most, cursor: skipped = 0 }, caller) => {
    const unread = await findUnread(caller);
    const rooms = [];
    const texts = [`Rooms with unread messages: ${unread.length}.`];
    for (const member of unread.slice(skipped)) {
      const read = await readRoom(member, most, caller);
      const size = bytesOf({ structured: [...rooms, read.structured], text: [...texts, read.text].join('\n') });
      if (rooms.length > 0 && size > mostBytes - bytesOfRest) break;
      rooms.push(read.structured);
      texts.push(read.text);
      if (rooms.length === roomsPerPage) break;
    }
    const end = skipped + rooms.length;
    const next = end < unread.length ? end : undefined;
    return {
      structured: { notice, unread_rooms: unread.length, rooms, ...(next && { next_cursor: next }) },
      text: texts.join('\n') + moreOf(next?.toString()),
    };
  },
});

const roomsPerPage = 20;
const bytesOfRest = 1_000;

/** The caller's rooms with unread messages, in the order in which to read them. */
async function findUnread(caller: Caller): Promise<Member[]> {
  const found: Member[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < mostRooms; looked += pageSize) {
    const { items, next } = await listMyRooms({ limit: pageSize, after: memberCursor.read(after) }, caller);
    found.push(
      ...items.filter(({ unread = 0, unread_mentions = 0, is_muted }) => unread > 0 && (!is_muted || unread_mentions > 0)),
    );
    if (!next) break;
    after = next.after;
  }
  const rankOf = ({ unread_mentions = 0, others }: Member) => (unread_mentions > 0 ? 0 : others ? 1 : 2);
  // Within a rank the most recently active room stays first.
  return found.sort((one, other) => rankOf(one) - rankOf(other));
}

/** The first unread messages of a room. Fewer of long ones: no room fills the whole result. */
async function readRoom(member: Member, most: number, caller: Caller) {
  const room = showRoom(member);
  const after = member.last_read ?? 0;
  for (let limit = most; ; limit = Math.floor(limit / 2)) {
    const { messages } = await readPage(toObjectId(member.room), { after, is_in_room: 'true' }, limit, caller);
    const shown = messages.map((message) => showForAgent(message, caller.user._id));
    const others = shown.filter(({ author, is_deleted }) => author.id !== caller.user._id.toHexString() && !is_deleted);
    const left_out = Math.max(0, room.unread - others.length);
    const title = `${titleOf(room)} (${room.id}), ${room.unread} unread${left_out > 0 ? `, ${left_out} left out` : ''}`;
    const result = { structured: { room, messages: shown, left_out }, text: describeMessages(title, shown) };
    if (limit <= 1 || bytesOf(result) <= mostBytes / 2) return result;
  }
}
