import type { ObjectId } from 'mongodb';
import type { Caller } from '../identity/tokens.ts';
import { check, moderators } from '../rooms/access.ts';
import { changeMessage, requireLiving } from './change.ts';
import type { Message } from './messages.ts';

/** Pins a message in its room; one that is pinned already stays so. */
export const pinMessage = (id: ObjectId, caller: Caller): Promise<Message> =>
  changeMessage(id, caller, (message, room) => {
    check(moderators, room);
    requireLiving(message);
    if (message.pinned_at) return undefined;
    return {
      rule: moderators,
      type: 'message.pinned',
      where: { pinned_at: null },
      update: ({ at }) => ({ $set: { pinned_at: at, is_pinned: true } }),
    };
  });

/** Takes the pin out again. */
export const unpinMessage = (id: ObjectId, caller: Caller): Promise<Message> =>
  changeMessage(id, caller, (message, room) => {
    check(moderators, room);
    requireLiving(message);
    if (!message.pinned_at) return undefined;
    return {
      rule: moderators,
      type: 'message.unpinned',
      where: { pinned_at: { $ne: null } },
      update: () => ({ $set: { pinned_at: null }, $unset: { is_pinned: '' } }),
    };
  });
