import type { RoomDocument } from '../collections/rooms/rooms.ts';

/** The counters of a room's messages. */
export type Counters = Pick<RoomDocument, 'message_count' | 'lost' | 'lost_count' | 'last_deleted'>;

/** The projection to `Counters`. */
export const counterFields = { message_count: 1, lost: 1, lost_count: 1, last_deleted: 1 } as const;

/** The number of messages of a room. */
export const messageCount = ({ message_count, lost_count = 0 }: Counters): number => message_count - lost_count;

/**
 * The number of messages after a read marker. It excludes deleted messages and messages that were
 * counted and never stored. Only the last hundred of the latter are known. For a reader who is
 * further back, the number is slightly too high until they read the room.
 */
export const unreadOf = (
  { message_count, lost = [] }: Counters,
  { ordinal, deleted }: { ordinal: number; deleted: number },
): number => Math.max(0, message_count - ordinal - lost.filter((number) => number > ordinal).length - deleted);
