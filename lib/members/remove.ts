import type { Filter, ObjectId } from 'mongodb';
import { conflict, invalidParameter, permissionDenied } from '../errors.ts';
import { changeRoom, recordChange } from '../rooms/change.ts';
import { type Actor, findStanding, hasRank, holds, isNotLastOwner, requireTarget, type Standing } from '../rooms/permissions.ts';
import type { MemberDocument, RoomDocument } from '../rooms/rooms.ts';

/**
 * Takes a member out of its room: oneself, or, as a moderator, a plain member, as an owner or an admin anyone; and bans it if so asked.
 * The last owner stays while others remain, whoever asks.
 */
export async function removeMember(member: ObjectId, { ban }: { ban: boolean }, actor: Actor): Promise<void> {
  const find = async () => requireTarget(await findStanding(actor, { member }));
  const standing = await find();
  refuse(standing, actor, ban);

  const { user } = standing.target;
  const isLeaving = user.equals(actor._id);
  const changed = await changeRoom(
    {
      where: { $and: [{ _id: standing._id }, isLeaving ? { 'members._id': member } : mayRemove(member, actor), mayGo(member)] },
      update: { $pull: { members: { _id: member } }, ...(ban && { $addToSet: { banned: user } }) },
    },
    async () => refuse(await find(), actor, ban),
  );
  await recordChange(changed, actor._id, isLeaving ? 'member.left' : ban ? 'member.banned' : 'member.kicked', { member, user });
}

/** The part of the update's filter that says that the member is there and the actor may remove it. */
const mayRemove = (member: ObjectId, actor: Actor): Filter<Omit<RoomDocument, '_id'>> => {
  const plain = { members: { $elemMatch: { _id: member, role: 'member' as const } } };
  return { 'members._id': member, $or: [holds(actor, 'owner'), { $and: [holds(actor, 'moderator'), plain] }] };
};

/** The part that says that the room keeps an owner, or needs none as nobody else is in it. */
const mayGo = (member: ObjectId) => ({ $or: [...isNotLastOwner(member), { members: { $size: 1 } }] });

function refuse(standing: Standing & { target: MemberDocument }, actor: Actor, ban: boolean): void {
  const { target, owner_count, member_count } = standing;
  const isLeaving = target.user.equals(actor._id);
  if (isLeaving && ban) throw invalidParameter('ban', 'be left out to leave: nobody bans themselves');
  if (!isLeaving && !hasRank(standing, 'moderator')) throw permissionDenied('Room moderator required.');
  if (!isLeaving && target.role !== 'member' && !hasRank(standing, 'owner')) throw permissionDenied('Room owner required.');
  if (target.role === 'owner' && owner_count === 1 && member_count > 1)
    throw conflict('The last owner must stay while others remain.');
}
