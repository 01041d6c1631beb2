import type { Role } from 'chat-service-rules/permissions';
import { type Filter, ObjectId } from 'mongodb';
import { requireAtMostOne } from '../api/parameters.ts';
import { attempt } from '../base/deadline.ts';
import { conflict, invalidParameter, missingParameter, permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import { loginLimits } from '../collections/accounts/login-limits.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { inBatches } from '../database/writes.ts';
import { hashToken } from '../identity/authenticate.ts';
import { hasBlocked } from '../identity/blocks.ts';
import { actorId, type Caller, isAdmin } from '../identity/caller.ts';
import { failClosed, keyOf, minute, takeSlot } from '../identity/slots.ts';
import { findActivePerson, findActiveUserId, noSuchUser } from '../identity/users.ts';
import { changeRoom } from '../rooms/change.ts';
import { findContext, findTargetContext, noSuchRoom, type TargetContext } from '../rooms/contexts.ts';
import { recordEvent } from '../rooms/event-log.ts';
import { noteAddition } from '../rooms/notifications.ts';
import { allowedTo, refusalsOf, requireRole, roomArchived } from '../rooms/permissions.ts';
import { startReading } from '../rooms/read-markers.ts';
import { type ChangedRoom, placeOf, takePlace } from '../rooms/sequence.ts';
import { config } from '../settings/config.ts';
import { findInvited, invitedBy, noSuchInvitation, usingInvitation } from './invitations.ts';
import { type Member, showMember, showOwnMember } from './members.ts';

/** A new membership: the room, the user and the role. */
type Membership = { room: ObjectId; user: ObjectId; role: Role };

const alreadyMember: Refusal = () => conflict('already_member', 'The user is already a member.');
const banned: Refusal = () => permissionDenied('banned', 'The user is banned from the room.');
const joinedByBot: Refusal = () => permissionDenied('bot_refused', 'Bots cannot join rooms. Ask a member who may add people.');
const closed: Refusal = () => permissionDenied('room_closed', 'The room is closed.');
export const full: Refusal = () => conflict('room_full', 'The room is full.');
export const tooManyRooms: Refusal = () => conflict('too_many_rooms', 'The user is in too many rooms.');
export const joinRefusals = [
  closed,
  banned,
  joinedByBot,
  ...refusalsOf('add'),
  ...refusalsOf('appoint'),
  noSuchRoom,
  noSuchUser,
  noSuchInvitation,
  alreadyMember,
  full,
  tooManyRooms,
  tooManyRequests,
];

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

type JoinAction = 'join' | 'joinInvited' | 'add' | 'appoint';
type JoinedRoom = ChangedRoom & { members: MemberDocument[] };

const actionOf = ({ user, role }: Membership, caller: Caller): Exclude<JoinAction, 'joinInvited'> => {
  if (role !== 'member') return 'appoint';
  return user.equals(caller.user._id) ? 'join' : 'add';
};

/**
 * The part of the update's filter that checks that the room can accept this user, regardless of the
 * caller.
 */
const accepts = (user: ObjectId): Filter<Omit<RoomDocument, '_id'>> => ({
  banned: { $ne: user },
  'members.user': { $ne: user },
  ...isNotFull(),
});

const isNotFull = () => ({ [`members.${config.roomMembers - 1}`]: { $exists: false } });

/** The part that says that the caller may join without an invitation. */
const isOpen = (caller: Caller) => (isAdmin(caller) ? {} : { is_open: true, is_visible: true });

/**
 * An account that does not exist must never become a member: it is looked up first, together with
 * everything else that may be wrong. Returns whether the user has blocked the caller; always false
 * for an administrator.
 */
async function checkUser({ room, user }: Membership, action: JoinAction, caller: Caller): Promise<boolean> {
  const [context, isBlocked] = await Promise.all([findTargetContext(room, caller, user), hasBlocked(user, caller.user._id)]);
  requireRole(context, action);
  if (isBlocked === undefined) throw noSuchUser();
  check(context, action);
  await countAddition(user, caller);
  return isBlocked && !isAdmin(caller);
}

/**
 * Counts that the caller, or the owner of a bot, adds a user to a room; 429 beyond a limit. It is a
 * tenth of the rooms that others may add the user to, at least ten, so that one account cannot use
 * them up.
 */
async function countAddition(user: ObjectId, caller: Caller): Promise<void> {
  const { areOn, roomsPerUser } = config.limits;
  if (!areOn || isAdmin(caller)) return;
  const limit = { most: Math.max(10, Math.floor(roomsPerUser / 10)), window: 30 * 24 * 60 * minute, isSettled: true } as const;
  const key = `${additionsBy(caller.user.owner ?? caller.user._id)} ${keyOf('of', user.toHexString())}`;
  await failClosed(() => takeSlot(key, new ObjectId(), limit));
}

const additionsBy = (user: ObjectId) => keyOf('additions by', user.toHexString());

/** Forgets whom an account has added to rooms. */
export async function forgetAdditionLimit(user: ObjectId): Promise<void> {
  const start = `${additionsBy(user)} `;
  await inBatches(loginLimits, { _id: { $gte: start, $lt: `${start}~` } }, (some) => loginLimits.deleteMany(some));
}

function check(context: TargetContext | undefined, action: JoinAction): void {
  // An invited user sees the room.
  const seen = context && action === 'joinInvited' ? { ...context, is_visible: true } : context;
  const { target, isTargetBanned, rank, is_open, archived_at, memberCount } = requireRole(seen, action);
  if (target) throw alreadyMember();
  if (isTargetBanned) throw banned();
  if (action === 'join' && rank === 'stranger' && !is_open) throw closed();
  if (archived_at) throw roomArchived();
  if (memberCount >= config.roomMembers) throw full();
}

/**
 * Returns true if a user has joined too many rooms. If the caller is somebody else, returns true if
 * others have added the user to too many. Conversations do not count, because others start them.
 * Administrators can be in any number of rooms, and add anybody.
 */
async function isInTooMany(user: ObjectId, caller: Caller): Promise<boolean> {
  const { areOn, roomsPerUser } = config.limits;
  if (!areOn || isAdmin(caller)) return false;
  const isOwn = user.equals(caller.user._id);
  return (await countRooms(user, { isAdded: !isOwn, limit: roomsPerUser + 1 })) > roomsPerUser;
}

/**
 * Counts the rooms that a user has joined, or those that others added the user to, up to a limit.
 * Rooms of a group at the identity provider count as neither.
 */
export const countRooms = (user: ObjectId, { isAdded, limit }: { isAdded: boolean; limit: number }): Promise<number> =>
  rooms.unscoped.countDocuments(
    {
      'members.user': user,
      members: { $elemMatch: { user, ...(isAdded ? { is_added: true, by_group: { $ne: true } } : { is_added: { $ne: true } }) } },
      is_direct: { $ne: true },
    },
    { limit },
  );

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
