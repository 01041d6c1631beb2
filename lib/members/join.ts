import { type Filter, ObjectId } from 'mongodb';
import { config } from '../config.ts';
import { conflict, notFound, permissionDenied } from '../errors.ts';
import { findActiveUsername } from '../identity/users.ts';
import { type ChangedRoom, changeRoom, recordChange } from '../rooms/change.ts';
import { type Actor, findStanding, holds, requireRank, type Standing } from '../rooms/permissions.ts';
import { markRead } from '../rooms/read-markers.ts';
import type { MemberDocument, Role, RoomDocument } from '../rooms/rooms.ts';
import { type Member, showMember, showOwnMember } from './members.ts';

/** Who is to be in which room as what. */
export type Membership = { room: ObjectId; user: ObjectId; role: Role };

/** Makes a user a member: oneself in an open room, others if one is at least a moderator, and as more than a member if one is an owner. */
export async function join(membership: Membership, actor: Actor): Promise<Member> {
  const { room, user } = membership;
  const least = leastRank(membership, actor);
  if (least !== 'stranger') await refuseInvitation(membership, actor, least);

  const _id = new ObjectId();
  const changed = await changeRoom<{ members: MemberDocument[] }>(
    {
      where: { $and: [{ _id: room }, takes(user), mayAdd(actor, least)] },
      update: [
        { $set: { members: { $concatArrays: ['$members', [{ _id, user, role: membership.role, joined_at: '$$NOW' }]] } } },
      ],
      projection: { members: { $elemMatch: { _id } } },
    },
    async () => refuse(await findStanding(actor, { room, user }), least),
  );
  return welcome(changed, _id, membership, actor);
}

type LeastRank = 'stranger' | 'moderator' | 'owner';

const leastRank = ({ user, role }: Membership, actor: Actor): LeastRank => {
  if (role !== 'member') return 'owner';
  return user.equals(actor._id) ? 'stranger' : 'moderator';
};

/** The part of the update's filter that says that the room takes this user, whoever asks. */
const takes = (user: ObjectId): Filter<Omit<RoomDocument, '_id'>> => ({
  archived_at: null,
  banned: { $ne: user },
  'members.user': { $ne: user },
  [`members.${config.roomMembers - 1}`]: { $exists: false },
});

/** The part that says that the actor may add someone: a stranger only oneself, where the room can be seen and is open. */
function mayAdd(actor: Actor, least: LeastRank): Filter<Omit<RoomDocument, '_id'>> {
  if (actor.is_admin) return {};
  return least === 'stranger' ? { is_open: true, is_visible: true } : holds(actor, least);
}

/** An account that does not exist must never get in: it is looked for first, together with all else that may be amiss. */
async function refuseInvitation({ room, user }: Membership, actor: Actor, least: LeastRank): Promise<void> {
  const [standing, username] = await Promise.all([findStanding(actor, { room, user }), findActiveUsername(user)]);
  requireRank(standing, least);
  if (username === undefined) throw notFound('user');
  refuse(standing, least);
}

function refuse(found: Standing | undefined, least: LeastRank): void {
  const standing = requireRank(found, least);
  if (standing.target) throw conflict('The user is already a member.');
  if (standing.is_banned) throw permissionDenied('The user is banned from the room.');
  if (standing.rank === 'stranger' && !standing.is_open) throw permissionDenied('The room is closed.');
  if (standing.archived_at) throw conflict('The room is archived.');
  if (standing.member_count >= config.roomMembers) throw conflict('The room is full.');
}

/** What is due once the user is in: the event, a marker that leaves nothing old unread, and a last look at the account. */
async function welcome(
  room: ChangedRoom & { members: MemberDocument[] },
  member: ObjectId,
  { user }: Membership,
  actor: Actor,
): Promise<Member> {
  const data = { member, user };
  const [username, read] = await Promise.all([
    findActiveUsername(user),
    markRead(room._id, user, room.seq, room.message_count),
    recordChange(room, actor._id, 'member.joined', data),
  ]);
  const added = room.members[0];
  if (username === undefined || !added) {
    // Deleted or deactivated meanwhile, perhaps after it had been taken out of its rooms.
    const left = await changeRoom(
      { where: { _id: room._id, 'members._id': member }, update: { $pull: { members: { _id: member } } } },
      () => Promise.reject(notFound('user')),
    );
    await recordChange(left, null, 'member.left', data);
    throw notFound('user');
  }
  return user.equals(actor._id) ? showOwnMember(room, added, username, read) : showMember(room._id, added, username);
}
