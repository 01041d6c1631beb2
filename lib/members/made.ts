import type { Filter, ObjectId } from 'mongodb';
import { attempt } from '../base/deadline.ts';
import type { Refusal } from '../base/errors.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { inBatches } from '../database/writes.ts';
import type { Caller } from '../identity/caller.ts';
import { findContext } from '../rooms/contexts.ts';
import { allowedTo, requirePermission } from '../rooms/permissions.ts';

/*
 * Invitations and webhooks act for the user who created them. They end when that user loses the
 * role that permitted it.
 */

/** The part of an update that removes the invitations and webhooks that a user has created. */
export const withoutMadeBy = (user: ObjectId) => ({ invitations: { created_by: user }, webhooks: { created_by: user } });

/**
 * Removes the invitations and webhooks of a former administrator. `others`: from the rooms in which
 * the user is neither a moderator nor an owner.
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

type Revocation = {
  room: ObjectId;
  id: ObjectId;
  action: 'seeInvitations' | 'seeOwnInvitations' | 'seeWebhooks';
  /** Finds only things with this creator. */
  by?: ObjectId;
  noSuch: Refusal;
};

/** Revokes an invitation or a webhook. 404 unless the caller may see it. */
export async function revokeMade(
  made: 'invitations' | 'webhooks',
  { room, id, action, by, noSuch }: Revocation,
  caller: Caller,
): Promise<void> {
  const where = { _id: room, [made]: { $elemMatch: { _id: id, ...(by && { created_by: by }) } } };
  await attempt({ times: 10 }, async () => {
    const { matchedCount } = await rooms.updateOne(
      { ...where, ...allowedTo(action, caller) },
      { $pull: { [made]: { _id: id } } },
    );
    if (matchedCount > 0) return true;
    requirePermission(await findContext(room, caller), action);
    if (!(await rooms.findOne(where, { projection: { _id: 1 } }))) throw noSuch();
    return undefined;
  });
}
