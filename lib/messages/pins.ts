import type { ObjectId } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import type { Caller } from '../identity/caller.ts';
import { refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { changeMessage, type Decide, messageDeleted, requireNotDeleted } from './change.ts';
import type { Message } from './messages.ts';

export const pinRefusals = [messageDeleted, ...refusalsOf('pin')];

/** Pins a message in its room; does nothing if it is pinned. */
export const pinMessage = (id: ObjectId, caller: Caller, precondition?: Precondition): Promise<Message> => {
  const decide: Decide = (message, room) => {
    requirePermission(room, 'pin');
    requireNotDeleted(message);
    if (message.pinned_at) return undefined;
    return {
      action: 'pin',
      type: 'message.pinned',
      where: { pinned_at: null },
      update: ({ at }) => ({ $set: { pinned_at: at, is_pinned: true } }),
    };
  };
  return changeMessage(id, caller, decide, precondition);
};

/** Unpins a message; does nothing if it is not pinned. */
export const unpinMessage = (id: ObjectId, caller: Caller, precondition?: Precondition): Promise<Message> => {
  const decide: Decide = (message, room) => {
    requirePermission(room, 'pin');
    requireNotDeleted(message);
    if (!message.pinned_at) return undefined;
    return {
      action: 'pin',
      type: 'message.unpinned',
      where: { pinned_at: { $ne: null } },
      update: () => ({ $set: { pinned_at: null }, $unset: { is_pinned: '' } }),
    };
  };
  return changeMessage(id, caller, decide, precondition);
};
