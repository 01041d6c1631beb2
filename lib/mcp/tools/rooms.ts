import { pageLimit } from '../../api/pages.ts';
import { about, optional, sequence } from '../../api/parameters.ts';
import { aCount, aText, aTrue, aWord, described, listOf, record, type Shown } from '../../api/schema.ts';
import { changeMember } from '../../members/change.ts';
import type { Member } from '../../members/members.ts';
import { listMyRooms, memberCursor } from '../../members/my-rooms.ts';
import { findReadableRoom, noSuchMember } from '../../rooms/permissions.ts';
import { fitResult } from '../fitting.ts';
import { findRoomId, roomParameter } from '../places.ts';
import { moreOf, nameOf, nextCursor, notice, noticeSchema, personSchema, showPersonOf } from '../shown.ts';
import { reads, tool } from '../tool.ts';

/** A room or a direct conversation of the caller. */
export const roomSchema = record(
  'Room',
  {
    id: described('The id of the room.', aText),
    kind: described('A room, or a direct conversation, which has people instead of a name.', aWord('room', 'conversation')),
    name: described('The name of the room.', aText),
    people: described('The other people of a direct conversation.', listOf(personSchema)),
    unread: described('Unread messages of others.', aCount),
    unread_mentions: described('Unread messages that mention the account.', aCount),
    unread_threads: described('Followed threads with unread replies.', aCount),
    last_seq: described('The latest place in the room.', aCount),
    is_muted: described('Present, and true, if its notifications are muted.', aTrue),
  },
  ['name', 'people', 'unread_threads', 'is_muted'],
);
export type ShownRoom = Shown<typeof roomSchema>;

/** A membership of the caller as agents see it. */
export function showRoom({ room, room_name, others, ...member }: Member): ShownRoom {
  const { unread = 0, unread_mentions = 0, unread_threads = 0, seq = 0, is_muted } = member;
  return {
    id: room.$oid,
    ...(others
      ? {
          kind: 'conversation' as const,
          people: others.map(({ _id, username, name, is_bot }) => showPersonOf({ id: _id.$oid, username, name, is_bot })),
        }
      : { kind: 'room' as const, name: room_name ?? '' }),
    unread,
    unread_mentions,
    ...(unread_threads > 0 && { unread_threads }),
    last_seq: seq,
    ...(is_muted && { is_muted: true as const }),
  };
}

/** The name of a room, or of the people in a conversation. */
export const titleOf = ({ kind, name, people = [] }: ShownRoom): string =>
  kind === 'room' ? `#${name}` : people.map(nameOf).join(', ') || '(yourself)';

const describeRoom = (room: ShownRoom) =>
  [
    `${titleOf(room)}: ${room.id}`,
    room.unread > 0 && `${room.unread} unread`,
    room.unread_mentions > 0 && `${room.unread_mentions} mention you`,
    room.unread_threads && `${room.unread_threads} threads with unread replies`,
    room.is_muted && 'muted',
  ]
    .filter(Boolean)
    .join(', ');

export const listRooms = tool({
  name: 'list_rooms',
  title: 'List rooms',
  description: 'List the rooms and direct conversations of the account with their unread counts, the most recently active first.',
  effect: reads,
  scopes: ['members:read'],
  input: { limit: pageLimit, cursor: about('The `next_cursor` of the page before.', optional(memberCursor)) },
  output: record('Rooms', { notice: noticeSchema, rooms: listOf(roomSchema), next_cursor: nextCursor }, ['next_cursor']),
  run: ({ limit, cursor }, caller) =>
    fitResult(limit, async (limit) => {
      const { items, next } = await listMyRooms({ limit, after: cursor }, caller);
      const rooms = items.map(showRoom);
      const text = rooms.length === 0 ? 'No rooms.' : [`Rooms: ${rooms.length}.`, ...rooms.map(describeRoom)].join('\n');
      return {
        structured: { notice, rooms, ...(next && { next_cursor: next.after }) },
        text: text + moreOf(next?.after),
      };
    }),
});

export const markRead = tool({
  name: 'mark_read',
  title: 'Mark a room as read',
  description: 'Mark a room as read for the account, on all its devices, up to a message. The marker only moves forward.',
  effect: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  scopes: ['members:write'],
  input: {
    room: roomParameter,
    up_to: about('The `seq` of the last message that was read; without it, all that is in the room now.', optional(sequence)),
  },
  output: record('Reading', {
    room: described('The id of the room.', aText),
    last_read: described('The place of the last message that was read.', aCount),
    unread: described('Messages of others that are unread now.', aCount),
  }),
  run: async ({ room, up_to }, caller) => {
    const found = await findRoomId(room, caller);
    const context = await findReadableRoom(found, caller);
    if (!context.member) throw noSuchMember();
    const { last_read = 0, unread = 0 } = await changeMember(context.member._id, { last_read: up_to ?? context.seq }, caller);
    return {
      structured: { room: found.toHexString(), last_read, unread },
      text: `The room is read up to seq ${last_read}; ${unread} unread.`,
    };
  },
});
