import type { Filter, ObjectId } from 'mongodb';
import { type RoomDocument, rooms } from '../collections/rooms.ts';
import { inBatches } from '../database/writes.ts';

/*
 * Invitations and webhooks act for who made them: they end with the role by which they were made.
 */

/** The part of an update that takes the invitations and webhooks which a user has made. */
export const withoutMadeBy = (user: ObjectId) => ({ invitations: { created_by: user }, webhooks: { created_by: user } });

/**
 * Takes the invitations and webhooks of a user who is no longer an administrator from the rooms in which the user is
 * neither a moderator nor an owner, or from all.
 */
export async function forgetMadeBy(user: ObjectId, from: 'others' | 'all'): Promise<void> {
  const where: Filter<Omit<RoomDocument, '_id'>> =
    from === 'others' ? { $nor: [{ members: { $elemMatch: { user, role: { $in: ['moderator', 'owner'] } } } }] } : {};
  const forget = (made: 'invitations.created_by' | 'webhooks.created_by') =>
    inBatches(rooms.unscoped, { [made]: user, ...where }, (some) =>
      rooms.unscoped.updateMany(some, { $pull: withoutMadeBy(user) }),
    );
  await Promise.all([forget('invitations.created_by'), forget('webhooks.created_by')]);
}
