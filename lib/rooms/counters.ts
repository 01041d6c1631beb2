import type { RoomDocument } from '../collections/rooms.ts';

/** The counters of a room's messages. */
export type Counters = Pick<RoomDocument, 'message_count' | 'lost' | 'lost_count'>;

/** The projection to them. */
export const counterFields = { message_count: 1, lost: 1, lost_count: 1 } as const;

/** How many messages a room has. */
export const messageCount = ({ message_count, lost_count = 0 }: Counters): number => message_count - lost_count;

/**
 * How many messages of a room come after a read marker, from the counters alone: those counted since, without those that were counted and
 * never came. Only the last hundred of the latter are known; for someone further behind the number is a few too high until they read.
 */
export const unreadOf = ({ message_count, lost = [] }: Counters, { ordinal }: { ordinal: number }): number =>
  Math.max(0, message_count - ordinal - lost.filter((number) => number > ordinal).length);
