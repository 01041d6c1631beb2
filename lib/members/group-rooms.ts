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
 * Memberships that follow from groups at an identity provider. Each carries the mark `by_group`,
 * which is set and removed in the same update as the membership. A user who joined, was added or
 * was invited does not have the mark and is never removed.
 */

/** The most rooms that are changed concurrently. */
const mostAtOnce = 5;

/**
 * Adds a user to the rooms of their groups, and removes the user from rooms of earlier groups. A
 * room is skipped if it is full, archived, deleted or a conversation, or if it has banned the user.
 */
export async function applyGroupRooms(user: ObjectId, given: ObjectId[]): Promise<void> {
  await leaveGroupRooms(user, given);
  if (given.length === 0) return;
  // Usually empty, except at the first sign-in.
  const missing = { _id: { $in: given }, 'members.user': { $ne: user } };
  const found = await rooms.find(missing, { projection: { _id: 1 } }).toArray();
  await concurrently(found, mostAtOnce, ({ _id }) => joinInvited(_id, user, { is_added: true, by_group: true }));
  // The user may have been deactivated or disconnected in the meantime, after the group rooms were
  // left.
  const isSame = { _id: user, is_active: true, identity: { $exists: true as const } };
  if (found.length > 0 && !(await users.findOne(isSame, { projection: { _id: 1 } }))) await leaveGroupRooms(user);
}

/**
 * Removes a user from the rooms of groups, with exceptions. The last owner of a room stays until it
 * has another owner or no other member.
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
