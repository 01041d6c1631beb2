import type { ObjectId } from 'mongodb';
import type { MessageDocument } from '../collections/rooms/messages.ts';
import { type NotificationDocument, notificationMarkers, notifications } from '../collections/rooms/notifications.ts';
import { retryContended } from '../database/engines.ts';
import { actorId, type Caller } from '../identity/caller.ts';
import { notify } from '../notices/notices.ts';
import type { Place } from './sequence.ts';

/**
 * Adds a notification of the caller's reaction for the author of a message, before the reaction is
 * stored. It replaces one of an earlier reaction.
 */
export const noteReaction = ({ _id, user, room, seq }: MessageDocument, caller: Caller): Promise<void> =>
  store({ user, of: _id }, { kind: 'reaction', room, seq, actor: caller.user._id });

/**
 * Adds a notification that the caller has added a user to a room, and notifies the user's devices.
 * It is skipped for the command line, which the list could not name.
 */
export async function noteAddition({ room, seq }: Place, user: ObjectId, caller: Caller): Promise<void> {
  const actor = actorId(caller);
  if (!actor) return;
  await store({ user, of: room }, { kind: 'added', room, seq, actor });
  notify({ type: 'notifications', user: user.toHexString() });
}

async function store(_id: NotificationDocument['_id'], fields: Omit<NotificationDocument, '_id' | 'at'>): Promise<void> {
  await retryContended(() => notifications.updateOne({ _id }, [{ $set: { ...fields, at: '$$NOW' } }], { upsert: true }));
}

/** Deletes the notifications of a user. */
export async function forgetNotifications(user: ObjectId): Promise<void> {
  await Promise.all([notifications.deleteMany({ '_id.user': user }), notificationMarkers.deleteOne({ _id: user })]);
}
