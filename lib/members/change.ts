import type { ObjectId } from 'mongodb';
import { conflict, invalidParameter, permissionDenied } from '../errors.ts';
import { type ChangedRoom, changeRoom, recordChange } from '../rooms/change.ts';
import { type Actor, findStanding, hasRank, holds, isNotLastOwner, requireTarget, type Standing } from '../rooms/permissions.ts';
import { countUpTo, markRead } from '../rooms/read-markers.ts';
import type { MemberDocument, Role } from '../rooms/rooms.ts';
import { type Member, showTarget } from './members.ts';

/** What can be changed of a member: its role by owners, how far it has read by itself. */
export type MemberChange = { role?: Role | undefined; last_read?: number | undefined };

/** Changes what is given, or nothing if not all of it may be. */
export async function changeMember(member: ObjectId, change: MemberChange, actor: Actor): Promise<Member> {
  const { role, last_read } = change;
  const find = async () => requireTarget(await findStanding(actor, { member }));
  const refuseChange = async () => refuse(await find(), change, actor);

  let standing = last_read === undefined ? undefined : await refuseChange();
  if (role !== undefined) {
    const changed = await changeRole(member, role, actor, refuseChange);
    [standing] = await Promise.all([find(), recordRole(changed, actor)]);
  }
  standing ??= await find();
  return showTarget(standing, actor, last_read === undefined ? undefined : await moveMarker(standing, last_read));
}

type Found = Standing & { target: MemberDocument };
type WithTarget = ChangedRoom & { members: MemberDocument[] };

const changeRole = (member: ObjectId, role: Role, actor: Actor, refuseChange: () => Promise<unknown>): Promise<WithTarget> =>
  changeRoom(
    {
      where: {
        $and: [{ 'members._id': member }, holds(actor, 'owner'), role === 'owner' ? {} : { $or: isNotLastOwner(member) }],
      },
      update: { $set: { 'members.$[target].role': role } },
      arrayFilters: [{ 'target._id': member }],
      projection: { members: { $elemMatch: { _id: member } } },
    },
    refuseChange,
  );

const recordRole = (room: WithTarget, actor: Actor) => {
  const { _id: member, user, role } = room.members[0] as MemberDocument;
  return recordChange(room, actor._id, 'member.changed', { member, user, role });
};

/** Moves the read marker of the target itself, forwards only. */
async function moveMarker({ _id: room, seq, message_count, target }: Found, last_read: number) {
  // Up to the very end, which is how far most read, the number of messages is known.
  const ordinal = last_read === seq ? message_count : await countUpTo(room, last_read);
  return markRead(room, target.user, last_read, ordinal);
}

/** Goes on only if all of the change may be made. */
function refuse(standing: Found, { role, last_read }: MemberChange, actor: Actor): Found {
  const { target, owner_count, seq } = standing;
  if (role !== undefined && !hasRank(standing, 'owner')) throw permissionDenied('Room owner required.');
  if (last_read !== undefined && !target.user.equals(actor._id))
    throw permissionDenied('Only members themselves know what they have read.');
  if (last_read !== undefined && last_read > seq) throw invalidParameter('last_read', `be from 0 to ${seq}, the room's 'seq'`);
  if (role !== undefined && role !== 'owner' && target.role === 'owner' && owner_count === 1)
    throw conflict('The last owner must stay an owner.');
  return standing;
}
