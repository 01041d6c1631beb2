import type { ObjectId } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { recordEvent } from '../rooms/event-log.ts';
import { mayBeLeftBy } from '../rooms/permissions.ts';
import { placeOf, takePlace } from '../rooms/sequence.ts';
import { joinInvited } from './join.ts';
import { withoutMadeBy } from './made.ts';

/*
 * The memberships that groups at an identity provider give. Each has its mark, which comes and goes with it in one
 * update: what somebody has joined, or was added or invited to, has none and is never taken.
 */

/** So many rooms are changed at the same time. */
const mostAtOnce = 5;

/**
 * Makes a user a member of the rooms that groups give, and takes those back that groups gave before and give no longer.
 * A room that takes nobody, because it is full, archived, deleted, a conversation, or has banned the user, is left out.
 */
export async function applyGroupRooms(user: ObjectId, given: ObjectId[]): Promise<void> {
  await leaveGroupRooms(user, given);
  if (given.length === 0) return;
  // Mostly none: at all but the first sign-in.
  const missing = { _id: { $in: given }, 'members.user': { $ne: user } };
  const found = await rooms.find(missing, { projection: { _id: 1 } }).toArray();
  await concurrently(found, mostAtOnce, ({ _id }) => joinInvited(_id, user, { is_added: true, by_group: true }));
  // Deactivated or disconnected meanwhile, perhaps after what groups gave had been taken.
  const isSame = { _id: user, is_active: true, identity: { $exists: true as const } };
  if (found.length > 0 && !(await users.findOne(isSame, { projection: { _id: 1 } }))) await leaveGroupRooms(user);
}

/**
 * Takes a user out of the rooms that groups gave, but for some. The last owner stays while others remain, until there is
 * another one at a later time.
 */
export async function leaveGroupRooms(user: ObjectId, except: ObjectId[] = []): Promise<void> {
  const marked = { 'members.user': user, members: { $elemMatch: { user, by_group: true as const } } };
  const found = await rooms.find(marked, { projection: { members: { $elemMatch: { user } } } }).toArray();
  const left = found.filter((room) => !except.some((id) => id.equals(room._id)));
  await concurrently(left, mostAtOnce, async ({ _id, members }) => {
    for (const { _id: member } of members) await leaveByGroup(_id, member, user);
  });
}

async function leaveByGroup(room: ObjectId, member: ObjectId, user: ObjectId): Promise<void> {
  const isMember = { _id: room, members: { $elemMatch: { _id: member, by_group: true as const } } };
  const left = await takePlace({
    where: { $and: [isMember, mayBeLeftBy(member)] },
    update: { $pull: { members: { _id: member }, ...withoutMadeBy(user) } },
  });
  if (left) await recordEvent(placeOf(left), user, 'member.left', { member, user });
  else if (await rooms.findOne(isMember, { projection: { _id: 1 } }))
    log('error', 'the last owner of a room has left the group that gave it, and stays a member', {
      room: room.toHexString(),
      user: user.toHexString(),
    });
}
