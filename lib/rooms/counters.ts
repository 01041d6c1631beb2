import type { RoomDocument } from '../collections/rooms/rooms.ts';

/** The counters of a room's messages. */
export type Counters = Pick<RoomDocument, 'message_count' | 'lost' | 'lost_count' | 'last_deleted'>;

/** The projection to them. */
export const counterFields = { message_count: 1, lost: 1, lost_count: 1, last_deleted: 1 } as const;

/** How many messages a room has. */
export const messageCount = ({ message_count, lost_count = 0 }: Counters): number => message_count - lost_count;

/**
 * How many messages of a room come after a read marker: those counted since, without those that were counted and never came, and
 * without the deleted ones. Of those that never came only the last hundred are known; for someone further back the number is a
 * few too high until they read.
 */
export const unreadOf = (
  { message_count, lost = [] }: Counters,
  { ordinal, deleted }: { ordinal: number; deleted: number },
): number => Math.max(0, message_count - ordinal - lost.filter((number) => number > ordinal).length - deleted);
