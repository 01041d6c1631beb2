import type { ObjectId } from 'mongodb';
import { attempt } from '../base/deadline.ts';
import { users } from '../collections/accounts/users.ts';
import { type MemberDocument, rooms } from '../collections/rooms/rooms.ts';
import { recordEvent } from '../rooms/event-log.ts';
import { mayBeLeftBy } from '../rooms/permissions.ts';
import { type ChangedRoom, placeOf, takePlace } from '../rooms/sequence.ts';
import { withoutMadeBy } from './made.ts';

/**
 * Removes a user from every room, each change with its event. A room that would lose its last owner
 * first gets a new one: the moderator who joined first, or else the member who joined first. Repeat
 * the call to complete it after a process died.
 */
export async function leaveAllRooms(user: ObjectId): Promise<void> {
  const theirs = await rooms.find({ 'members.user': user }, { projection: { members: { $elemMatch: { user } } } }).toArray();
  for (const { _id, members } of theirs) {
    for (const member of members) await leaveRoom(_id, member);
  }
}

/**
 * Gives each room whose only owner is deactivated another owner, as if that one left. The
 * deactivated owner stays an owner, for when the account is activated again.
 */
export async function appointSuccessors(user: ObjectId): Promise<void> {
  const owned = { is_direct: { $exists: false }, members: { $elemMatch: { user, role: 'owner' as const } } };
  const found = await rooms.find(owned, { projection: { members: { $elemMatch: { user } } } }).toArray();
  for (const { _id, members } of found) {
    for (const member of members) await promoteSuccessor(_id, member._id, user);
  }
}

/** Removes a member from its room, by rules that hold despite concurrent changes of the room. */
const leaveRoom = (room: ObjectId, { _id: member, user }: MemberDocument): Promise<boolean> =>
  attempt({ times: 10 }, async () => {
    await promoteSuccessor(room, member, user);
    const left = await takePlace({
      where: { $and: [{ _id: room, 'members._id': member }, mayBeLeftBy(member)] },
      update: { $pull: { members: { _id: member }, ...withoutMadeBy(user) } },
    });
    if (left) await recordEvent(placeOf(left), user, 'member.left', { member, user });
    const isMember = !left && (await rooms.findOne({ 'members._id': member }, { projection: { _id: 1 } })) !== null;
    return isMember ? undefined : true;
  });

/**
 * Makes another member an owner, if the last one leaves. Active people come first, because nobody
 * else can run a room.
 */
async function promoteSuccessor(room: ObjectId, leaving: ObjectId, user: ObjectId): Promise<void> {
  const changed = await takePlace<ChangedRoom & { members: MemberDocument[] }>({
    where: { _id: room, 'members._id': leaving, $nor: [mayBeLeftBy(leaving)] },
    update: [{ $set: { members: withSuccessor(leaving, await findActivePeople(room)) } }],
    projection: { members: 1 },
  });
  const successor = changed?.members.find(({ _id, role }) => role === 'owner' && !_id.equals(leaving));
  if (!changed || !successor) return;
  const data = { member: successor._id, user: successor.user, role: 'owner' };
  await recordEvent(placeOf(changed), user, 'member.changed', data);
}

/** The members of a room who are people with an active account. */
async function findActivePeople(room: ObjectId): Promise<ObjectId[]> {
  const found = await rooms.findOne({ _id: room }, { projection: { 'members.user': 1 } });
  const _id = { $in: (found?.members ?? []).map((member) => member.user) };
  const people = await users.find({ _id, is_active: true, is_bot: { $ne: true } }, { projection: { _id: 1 } }).toArray();
  return people.map((person) => person._id);
}

/**
 * The members of a room in the order in which they joined. The successor of the leaving member
 * becomes an owner.
 */
const withSuccessor = (leaving: ObjectId, people: ObjectId[]) => {
  const among = (input: unknown, cond: unknown) => ({ $filter: { input, as: 'member', cond } });
  const others = among('$members', { $ne: ['$$member._id', leaving] });
  const active = among(others, { $in: ['$$member.user', people] });
  const isModerator = { $eq: ['$$member.role', 'moderator'] };
  const candidates = [among(active, isModerator), active, among(others, isModerator), others];
  const promoted = { $mergeObjects: ['$$member', { role: 'owner' }] };
  return {
    $let: {
      vars: { successor: { $ifNull: candidates.map((list) => ({ $arrayElemAt: [list, 0] })) } },
      in: {
        $map: {
          input: '$members',
          as: 'member',
          in: { $cond: [{ $eq: ['$$member._id', '$$successor._id'] }, promoted, '$$member'] },
        },
      },
    },
  };
};
