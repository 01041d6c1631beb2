import type { MyRoom } from '../kept.ts';

/** How many messages are for me in a room: all of a conversation, and those that name me. */
export const countForMe = ({
  isDirect,
  isMuted,
  unread,
  mentions,
}: Pick<MyRoom, 'isDirect' | 'isMuted' | 'unread' | 'mentions'>): number => (isDirect && !isMuted ? unread : mentions);
