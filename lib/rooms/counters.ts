import type { RoomDocument } from './rooms.ts';

/** What is counted from a room's counters. */
export type Counters = Pick<RoomDocument, 'message_count' | 'lost' | 'lost_count'>;

/** The projection to them. */
export const counterFields = { message_count: 1, lost: 1, lost_count: 1 } as const;

/** How many messages a room has. */
export const messageCount = ({ message_count, lost_count = 0 }: Counters): number => message_count - lost_count;

/**
 * How many messages of a room lie behind a read marker, by the counters alone: those counted since, but for those that were
 * counted and never came. Only a hundred of the latter are known; who is further behind is shown a few too many until they read.
 */
export const unreadOf = ({ message_count, lost = [] }: Counters, { ordinal }: { ordinal: number }): number =>
  Math.max(0, message_count - ordinal - lost.filter((number) => number > ordinal).length);
