import type { ObjectId } from 'mongodb';
import { notFound } from '../errors.ts';
import { type Actor, findStanding, holds, requireRank } from '../rooms/permissions.ts';
import { isThere, rooms } from '../rooms/rooms.ts';

/** Lets a banned user come back, who does not come back by that; nothing that the feed of the room tells of. */
export async function liftBan(room: ObjectId, user: ObjectId, actor: Actor): Promise<void> {
  const lift = () =>
    rooms.updateOne({ $and: [{ ...isThere, _id: room, banned: user }, holds(actor, 'moderator')] }, { $pull: { banned: user } });
  const { matchedCount } = await lift();
  if (matchedCount > 0) return;
  const standing = requireRank(await findStanding(actor, { room, user }), 'moderator');
  if (!standing.is_banned) throw notFound('ban');
  // Banned, or made a moderator, since: then it is lifted now, or by someone else.
  await lift();
}
