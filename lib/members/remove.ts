import type { Filter, ObjectId } from 'mongodb';
import { conflict, invalidParameter, type Refusal } from '../base/errors.ts';
import type { MemberDocument, RoomDocument } from '../collections/rooms/rooms.ts';
import { actorId, type Caller } from '../identity/caller.ts';
import { changeRoom } from '../rooms/change.ts';
import { findContextOfMember, type TargetContext } from '../rooms/contexts.ts';
import { recordEvent } from '../rooms/event-log.ts';
import { allowedTo, isLastOwner, mayBeLeftBy, refusalsOf, requireRole, requireTarget } from '../rooms/permissions.ts';
import { placeOf } from '../rooms/sequence.ts';
import { withoutMadeBy } from './made.ts';

const lastOwnerMustStay: Refusal = () => conflict('last_owner', 'The last owner must stay while others remain.');
export const removalRefusals = [
  ...refusalsOf('leave'),
  ...refusalsOf('removeMember'),
  ...refusalsOf('removeModerator'),
  lastOwnerMustStay,
];

/**
 * Removes a member from its room. Everybody may remove themselves, moderators may remove plain
 * members, and owners and administrators anybody. If `ban` is set, the user is also banned. The
 * last owner cannot be removed while other members remain.
 */
export async function removeMember(member: ObjectId, { ban }: { ban: boolean }, caller: Caller): Promise<void> {
  const find = async () => requireTarget(await findContextOfMember(member, caller));
  const context = await find();
  check(context, caller, ban);

  const { user } = context.target;
  const isLeaving = user.equals(caller.user._id);
  const changed = await changeRoom(
    {
      where: {
        $and: [
          { _id: context._id, 'members._id': member },
          isLeaving ? allowedTo('leave', caller) : mayRemove(member, caller),
          mayBeLeftBy(member),
        ],
      },
      update: { $pull: { members: { _id: member }, ...withoutMadeBy(user) }, ...(ban && { $addToSet: { banned: user } }) },
    },
    async () => check(await find(), caller, ban),
  );
  const type = isLeaving ? 'member.left' : ban ? 'member.banned' : 'member.kicked';
  await recordEvent(placeOf(changed), actorId(caller), type, { member, user });
}

/**
 * The condition of the update that the caller may remove the member. Moderators may only remove
 * plain members.
 */
const mayRemove = (member: ObjectId, caller: Caller): Filter<Omit<RoomDocument, '_id'>> => {
  const isPlain = { members: { $elemMatch: { _id: member, role: 'member' as const } } };
  return { $or: [allowedTo('removeModerator', caller), { $and: [allowedTo('removeMember', caller), isPlain] }] };
};

function check(context: TargetContext & { target: MemberDocument }, caller: Caller, ban: boolean): void {
  const isLeaving = context.target.user.equals(caller.user._id);
  if (isLeaving && ban) throw invalidParameter('ban', "be left out when one leaves: users can't ban themselves");
  requireRole(context, isLeaving ? 'leave' : 'removeMember');
  if (!isLeaving && context.target.role !== 'member') requireRole(context, 'removeModerator');
  if (isLastOwner(context) && context.memberCount > 1) throw lastOwnerMustStay();
}
