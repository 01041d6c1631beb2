import type { ObjectId } from 'mongodb';
import { rooms } from '../collections/rooms.ts';
import { attempt } from '../deadline.ts';
import { notFound, type Refusal } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { allowedTo, findContext, noSuchRoom, refusalsOf, requirePermission } from '../rooms/permissions.ts';

const noSuchBan: Refusal = () => notFound('ban');
export const banRefusals = [...refusalsOf('liftBan'), noSuchRoom, noSuchBan];

/** Lets a banned user join again, without making the user a member; the room's feed does not mention it. */
export async function liftBan(room: ObjectId, user: ObjectId, caller: Caller): Promise<void> {
  await attempt({ times: 10 }, async () => {
    const where = { _id: room, banned: user, ...allowedTo('liftBan', caller) };
    if ((await rooms.updateOne(where, { $pull: { banned: user } })).matchedCount > 0) return true;
    const context = requirePermission(await findContext(room, caller, user), 'liftBan');
    if (!context.isTargetBanned) throw noSuchBan();
    return undefined;
  });
}
