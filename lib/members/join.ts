import type { Role } from 'chat-service-rules/permissions';
import { ObjectId } from 'mongodb';
import { requireAtMostOne } from '../api/parameters.ts';
import { attempt } from '../base/deadline.ts';
import { invalidParameter, missingParameter } from '../base/errors.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { hashToken } from '../identity/authenticate.ts';
import { actorId, type Caller } from '../identity/caller.ts';
import { findActivePerson, findActiveUserId, noSuchUser } from '../identity/users.ts';
import { changeRoom } from '../rooms/change.ts';
import { findContext, findTargetContext } from '../rooms/contexts.ts';
import { recordEvent } from '../rooms/event-log.ts';
import { noteAddition } from '../rooms/notifications.ts';
import { allowedTo, requireRole, roomArchived } from '../rooms/permissions.ts';
import { startReading } from '../rooms/read-markers.ts';
import { type ChangedRoom, placeOf, takePlace } from '../rooms/sequence.ts';
import { config } from '../settings/config.ts';
import { findInvited, invitedBy, noSuchInvitation, usingInvitation } from './invitations.ts';
import {
  accepts,
  actionOf,
  check,
  checkUser,
  full,
  isInTooMany,
  isNotFull,
  isOpen,
  joinedByBot,
  type Membership,
  tooManyRooms,
} from './join-rules.ts';
import { type Member, showMember, showOwnMember } from './members.ts';

/**
 * A request for membership: of the user with this id or name, or of the caller, who may have an
 * invitation code.
 */
type JoinRequest = {
  room?: ObjectId | undefined;
  user?: ObjectId | undefined;
  username?: string | undefined;
  invitation?: string | undefined;
  role: Role;
};

/** Makes the user who is meant a member. */
export async function joinAs({ room, user, username, invitation, role }: JoinRequest, caller: Caller): Promise<Member> {
  requireAtMostOne(['user', 'username', 'invitation'], { user, username, invitation });
  if (invitation !== undefined) {
    if (role !== 'member') throw invalidParameter('invitation', "not be combined with 'role'");
    const invitedTo = await findInvited(invitation);
    if (room && !room.equals(invitedTo)) throw noSuchInvitation();
    return join({ room: invitedTo, user: caller.user._id, role }, caller, invitation);
  }
  if (!room) throw missingParameter('room');
  const wanted = { room, role };
  const found = username === undefined ? (user ?? caller.user._id) : await findActiveUserId(username);
  if (found) return join({ ...wanted, user: found }, caller);
  requireRole(await findContext(wanted.room, caller), wanted.role === 'member' ? 'add' : 'appoint');
  throw noSuchUser();
}

/**
 * Adds a member. Users can join an open room, or any with an invitation. `INVITATIONS` decides
 * whether members or moderators add others, and owners can give any role.
 */
async function join(membership: Membership, caller: Caller, invitation?: string): Promise<Member> {
  const { room, user, role } = membership;
  // A bot that could join by itself would return after its removal.
  if (caller.user.is_bot && user.equals(caller.user._id)) throw joinedByBot();
  const action = invitation === undefined ? actionOf(membership, caller) : 'joinInvited';
  const isBlocked = (action === 'add' || action === 'appoint') && (await checkUser(membership, action, caller));

  const _id = new ObjectId();
  const is_added = !user.equals(caller.user._id) && { is_added: true as const };
  const isOpenTo = action === 'join' ? isOpen(caller) : invitation === undefined ? {} : invitedBy(invitation);
  const changed = await changeRoom<JoinedRoom>(
    {
      where: { $and: [{ _id: room }, accepts(user), allowedTo(action, caller), isOpenTo] },
      update: [
        ...(isBlocked ? [] : [addition({ _id, user, role, ...is_added })]),
        ...(invitation === undefined ? [] : [usingInvitation(invitation)]),
      ],
      projection: { members: { $elemMatch: { _id } } },
    },
    async () => {
      if (invitation !== undefined) await findInvited(invitation);
      check(await findTargetContext(room, caller, user), action);
    },
  );
  if (isBlocked) return afterBlockedAddition(changed, _id, membership, caller);
  try {
    return await afterJoin(changed, _id, membership, caller);
  } catch (error) {
    if (invitation !== undefined) await returnInvitation(room, invitation);
    throw error;
  }
}

/** The stage of an update that adds a member. */
const addition = (member: Omit<MemberDocument, 'joined_at'>) => ({
  $set: { members: { $concatArrays: ['$members', [{ ...member, joined_at: '$$NOW' }]] } },
});
type JoinedRoom = ChangedRoom & { members: MemberDocument[] };

/**
 * The work after the user has become a member: the event, a marker that leaves nothing old unread,
 * and a last look at the account.
 */
async function afterJoin(room: JoinedRoom, member: ObjectId, { user }: Membership, caller: Caller): Promise<Member> {
  const data = { member, user };
  const [person, isTooMuch, marker] = await Promise.all([
    findActivePerson(user),
    isInTooMany(user, caller),
    startReading(room._id, user, room.seq, room.message_count),
    recordEvent(placeOf(room), actorId(caller), 'member.joined', data),
    user.equals(caller.user._id) ? undefined : noteAddition(placeOf(room), user, caller),
  ]);
  const added = room.members[0];
  // The user was deleted or deactivated in the meantime, perhaps after leaving all rooms; or is in
  // too many rooms.
  if (!person || !added || isTooMuch) {
    const refusal = isTooMuch ? tooManyRooms : noSuchUser;
    const left = await changeRoom(
      { where: { _id: room._id, 'members._id': member }, update: { $pull: { members: { _id: member } } } },
      () => Promise.reject(refusal()),
    );
    await recordEvent(placeOf(left), null, 'member.left', data);
    throw refusal();
  }
  return user.equals(caller.user._id)
    ? showOwnMember(room, added, person, { ...marker, mentions: 0, deleted: 0 })
    : showMember(room._id, added, person);
}

/**
 * The answer to a caller who adds a user who has blocked them: a member, who leaves at once. The
 * user was never a member, and notices nothing.
 */
async function afterBlockedAddition(
  room: JoinedRoom,
  member: ObjectId,
  { user, role }: Membership,
  caller: Caller,
): Promise<Member> {
  const data = { member, user };
  const { status: _, ...person } = (await findActivePerson(user)) ?? {};
  await recordEvent(placeOf(room), actorId(caller), 'member.joined', data);
  const left = await takePlace({ where: { _id: room._id } });
  if (left) await recordEvent(placeOf(left), user, 'member.left', data);
  return showMember(room._id, { _id: member, user, role, joined_at: room.changed_at }, person);
}

/**
 * Uses an invitation for an account that does not exist yet; returns its room and creator.
 * `returnInvitation` returns the use.
 */
export async function takeInvitation(code: string): Promise<{ room: ObjectId; inviter: ObjectId }> {
  await findInvited(code);
  return attempt({ times: 10 }, async () => {
    const where = { $and: [invitedBy(code), { archived_at: null, ...isNotFull() }] };
    const taken = await rooms.findOneAndUpdate<Required<Pick<RoomDocument, '_id' | 'invitations'>>>(
      where,
      [usingInvitation(code)],
      { projection: { invitations: { $elemMatch: { hash: hashToken(code) } } } },
    );
    const [used] = taken?.invitations ?? [];
    if (taken && used) return { room: taken._id, inviter: used.created_by };
    const room = await rooms.findOne<Pick<RoomDocument, 'archived_at'> & { count: number }>(
      { _id: await findInvited(code) },
      { projection: { archived_at: 1, count: { $size: '$members' } } },
    );
    if (room?.archived_at) throw roomArchived();
    if (room && room.count >= config.roomMembers) throw full();
    return undefined;
  });
}

/** Returns a use of an invitation after a failure. */
export async function returnInvitation(room: ObjectId, code: string): Promise<void> {
  await rooms.updateOne({ _id: room }, [usingInvitation(code, 1)]);
}

/**
 * Adds a member whom the service itself admits: through the invitation of a new account, or as one
 * of a group (`marks`). Does nothing if the room admits nobody, or not this user.
 */
export async function joinInvited(
  room: ObjectId,
  user: ObjectId,
  marks: Pick<MemberDocument, 'is_added' | 'by_group'> = {},
): Promise<void> {
  const _id = new ObjectId();
  const where = { $and: [{ _id: room, archived_at: null, is_direct: { $ne: true as const } }, accepts(user)] };
  const joined = await takePlace({ where, update: [addition({ _id, user, role: 'member', ...marks })] });
  if (!joined) return;
  await Promise.all([
    startReading(room, user, joined.seq, joined.message_count),
    recordEvent(placeOf(joined), user, 'member.joined', { member: _id, user }),
  ]);
}
