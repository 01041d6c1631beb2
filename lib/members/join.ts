import { type Filter, ObjectId } from 'mongodb';
import { type MemberDocument, type Role, type RoomDocument, rooms } from '../collections/rooms.ts';
import { config } from '../config.ts';
import { conflict, invalidParameter, permissionDenied, type Refusal } from '../errors.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { findActiveUserId, findActiveUsername, noSuchUser } from '../identity/users.ts';
import { changeRoom } from '../rooms/change.ts';
import { recordEvent } from '../rooms/event-log.ts';
import {
  allowedTo,
  findContext,
  noSuchRoom,
  type RoomContext,
  refusalsOf,
  requireRole,
  roomArchived,
} from '../rooms/permissions.ts';
import { startReading } from '../rooms/read-markers.ts';
import { type ChangedRoom, placeOf } from '../rooms/sequence.ts';
import { type Member, showMember, showOwnMember } from './members.ts';

/** Who is to be in which room, and as what. */
export type Membership = { room: ObjectId; user: ObjectId; role: Role };

const alreadyMember: Refusal = () => conflict('The user is already a member.');
const banned: Refusal = () => permissionDenied('The user is banned from the room.');
const closed: Refusal = () => permissionDenied('The room is closed.');
const full: Refusal = () => conflict('The room is full.');
const tooManyRooms: Refusal = () => conflict('The user is in too many rooms.');
export const joinRefusals = [
  closed,
  banned,
  ...refusalsOf('add'),
  ...refusalsOf('appoint'),
  noSuchRoom,
  noSuchUser,
  alreadyMember,
  full,
  tooManyRooms,
];

/** The same, where the user is the one with this id or this name, or without either the caller. */
type Wanted = Omit<Membership, 'user'> & { user?: ObjectId | undefined; username?: string | undefined };

/** Makes the user who is meant a member. */
export async function joinAs({ user, username, ...wanted }: Wanted, caller: Caller): Promise<Member> {
  if (user && username !== undefined) throw invalidParameter('username', "not be combined with 'user'");
  const found = username === undefined ? (user ?? caller.user._id) : await findActiveUserId(username);
  if (found) return join({ ...wanted, user: found }, caller);
  requireRole(await findContext(wanted.room, caller), wanted.role === 'member' ? 'add' : 'appoint');
  throw noSuchUser();
}

/** Makes a user a member: oneself in an open room, others as a moderator, and as more than a member as an owner. */
export async function join(membership: Membership, caller: Caller): Promise<Member> {
  const { room, user, role } = membership;
  const action = actionOf(membership, caller);
  if (action !== 'join') await checkInvitation(membership, action, caller);

  const _id = new ObjectId();
  const entry = { _id, user, role, joined_at: '$$NOW' };
  const changed = await changeRoom<Joined>(
    {
      where: { $and: [{ _id: room }, accepts(user), allowedTo(action, caller), action === 'join' ? isOpenTo(caller) : {}] },
      update: [{ $set: { members: { $concatArrays: ['$members', [entry]] } } }],
      projection: { members: { $elemMatch: { _id } } },
    },
    async () => check(await findContext(room, caller, user), action),
  );
  return afterJoin(changed, _id, membership, caller);
}

type JoinAction = 'join' | 'add' | 'appoint';
type Joined = ChangedRoom & { members: MemberDocument[] };

const actionOf = ({ user, role }: Membership, caller: Caller): JoinAction => {
  if (role !== 'member') return 'appoint';
  return user.equals(caller.user._id) ? 'join' : 'add';
};

/** The part of the update's filter that says that the room can take this user, whoever asks. */
const accepts = (user: ObjectId): Filter<Omit<RoomDocument, '_id'>> => ({
  banned: { $ne: user },
  'members.user': { $ne: user },
  [`members.${config.roomMembers - 1}`]: { $exists: false },
});

/** The part that says that the caller may join without an invitation. */
const isOpenTo = (caller: Caller) => (isAdmin(caller) ? {} : { is_open: true, is_visible: true });

/** An account that does not exist must never become a member: it is looked up first, together with everything else that may be wrong. */
async function checkInvitation({ room, user }: Membership, action: JoinAction, caller: Caller): Promise<void> {
  const [context, username] = await Promise.all([findContext(room, caller, user), findActiveUsername(user)]);
  requireRole(context, action);
  if (username === undefined) throw noSuchUser();
  check(context, action);
}

function check(context: RoomContext | undefined, action: JoinAction): void {
  const { target, isTargetBanned, rank, is_open, archived_at, memberCount } = requireRole(context, action);
  if (target) throw alreadyMember();
  if (isTargetBanned) throw banned();
  if (rank === 'stranger' && !is_open) throw closed();
  if (archived_at) throw roomArchived();
  if (memberCount >= config.roomMembers) throw full();
}

// Conversations do not count: others begin them.
async function countRooms(user: ObjectId): Promise<number> {
  const { areOn, roomsPerUser } = config.limits;
  if (!areOn) return 0;
  return rooms.unscoped.countDocuments({ 'members.user': user, is_direct: { $ne: true } }, { limit: roomsPerUser + 1 });
}

/** What is due once the user is a member: the event, a marker that leaves nothing old unread, and a last look at the account. */
async function afterJoin(room: Joined, member: ObjectId, { user }: Membership, caller: Caller): Promise<Member> {
  const data = { member, user };
  const [username, roomCount, marker] = await Promise.all([
    findActiveUsername(user),
    countRooms(user),
    startReading(room._id, user, room.seq, room.message_count),
    recordEvent(placeOf(room), caller.user._id, 'member.joined', data),
  ]);
  const added = room.members[0];
  // Deleted or deactivated meanwhile, perhaps after the account had been taken out of its rooms; or a member of too many.
  const isInTooMany = roomCount > config.limits.roomsPerUser;
  if (username === undefined || !added || isInTooMany) {
    const refusal = isInTooMany ? tooManyRooms : noSuchUser;
    const left = await changeRoom(
      { where: { _id: room._id, 'members._id': member }, update: { $pull: { members: { _id: member } } } },
      () => Promise.reject(refusal()),
    );
    await recordEvent(placeOf(left), null, 'member.left', data);
    throw refusal();
  }
  return user.equals(caller.user._id)
    ? showOwnMember(room, added, username, { ...marker, mentions: 0 })
    : showMember(room._id, added, username);
}
