import type { ObjectId } from 'mongodb';
import { recordChange, tryToChangeRoom } from '../rooms/change.ts';
import { isThere, type MemberDocument, rooms } from '../rooms/rooms.ts';

/**
 * Takes a user out of every room, each change with its event. A room that would lose its last owner by that first gets a new one: of its
 * moderators, or if it has none of its members, the one who joined first. Doing it again does what a process that died left undone.
 */
export async function leaveAllRooms(user: ObjectId): Promise<void> {
  const theirs = await rooms.find({ ...isThere, 'members.user': user }, { projection: { 'members.$': 1 } }).toArray();
  for (const { _id, members } of theirs) {
    for (const member of members) await leaveRoom(_id, member);
  }
}

/** Takes a member out of its room, by rules that hold whatever others do to the room meanwhile. */
async function leaveRoom(room: ObjectId, { _id: member, user }: MemberDocument): Promise<void> {
  const remaining = { _id: { $ne: member } };
  const otherOwner = { members: { $elemMatch: { ...remaining, role: 'owner' as const } } };
  for (;;) {
    const inherited = await tryToChangeRoom<{ members: MemberDocument[] }>({
      where: {
        _id: room,
        $and: [
          { members: { $elemMatch: { _id: member, role: 'owner' } } },
          { members: { $elemMatch: remaining } },
          { $nor: [otherOwner] },
        ],
      },
      update: [{ $set: { members: withHeir(member) } }],
      projection: { members: 1 },
    });
    const heir = inherited?.members.find(({ _id, role }) => role === 'owner' && !_id.equals(member));
    if (inherited && heir)
      await recordChange(inherited, user, 'member.changed', { member: heir._id, user: heir.user, role: 'owner' });

    const isNoLastOwner = [
      { members: { $elemMatch: { _id: member, role: { $ne: 'owner' as const } } } },
      otherOwner,
      { members: { $size: 1 } },
    ];
    const left = await tryToChangeRoom({
      where: { _id: room, 'members._id': member, $or: isNoLastOwner },
      update: { $pull: { members: { _id: member } } },
    });
    if (left) return recordChange(left, user, 'member.left', { member, user });
    if (!(await rooms.findOne({ ...isThere, 'members._id': member }, { projection: { _id: 1 } }))) return;
  }
}

/** The members, of whom the heir of the one who leaves is an owner. They stand in the order in which they joined. */
const withHeir = (leaving: ObjectId) => {
  const others = { $filter: { input: '$members', as: 'member', cond: { $ne: ['$$member._id', leaving] } } };
  const moderators = { $filter: { input: others, as: 'member', cond: { $eq: ['$$member.role', 'moderator'] } } };
  return {
    $let: {
      vars: { heir: { $ifNull: [{ $arrayElemAt: [moderators, 0] }, { $arrayElemAt: [others, 0] }] } },
      in: {
        $map: {
          input: '$members',
          as: 'member',
          in: {
            $cond: [{ $eq: ['$$member._id', '$$heir._id'] }, { $mergeObjects: ['$$member', { role: 'owner' }] }, '$$member'],
          },
        },
      },
    },
  };
};
