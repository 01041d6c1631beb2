import type { Role } from 'chat-service-rules/permissions';
import { type Filter, ObjectId } from 'mongodb';
import { conflict, permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import { loginLimits } from '../collections/accounts/login-limits.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { inBatches } from '../database/writes.ts';
import { hasBlocked } from '../identity/blocks.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { failClosed, keyOf, minute, takeSlot } from '../identity/slots.ts';
import { noSuchUser } from '../identity/users.ts';
import { findTargetContext, noSuchRoom, type TargetContext } from '../rooms/contexts.ts';
import { refusalsOf, requireRole, roomArchived } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';
import { noSuchInvitation } from './invitations.ts';

/** A new membership: the room, the user and the role. */
export type Membership = { room: ObjectId; user: ObjectId; role: Role };

const alreadyMember: Refusal = () => conflict('already_member', 'The user is already a member.');
const banned: Refusal = () => permissionDenied('banned', 'The user is banned from the room.');

export const joinedByBot: Refusal = () =>
  permissionDenied('bot_refused', 'Bots cannot join rooms. Ask a member who may add people.');
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

type JoinAction = 'join' | 'joinInvited' | 'add' | 'appoint';

export const actionOf = ({ user, role }: Membership, caller: Caller): Exclude<JoinAction, 'joinInvited'> => {
  if (role !== 'member') return 'appoint';
  return user.equals(caller.user._id) ? 'join' : 'add';
};

/**
 * The part of the update's filter that checks that the room can accept this user, regardless of the
 * caller.
 */
export const accepts = (user: ObjectId): Filter<Omit<RoomDocument, '_id'>> => ({
  banned: { $ne: user },
  'members.user': { $ne: user },
  ...isNotFull(),
});

export const isNotFull = () => ({ [`members.${config.roomMembers - 1}`]: { $exists: false } });

/** The part that says that the caller may join without an invitation. */
export const isOpen = (caller: Caller) => (isAdmin(caller) ? {} : { is_open: true, is_visible: true });

/**
 * An account that does not exist must never become a member: it is looked up first, together with
 * everything else that may be wrong. Returns whether the user has blocked the caller; always false
 * for an administrator.
 */
export async function checkUser({ room, user }: Membership, action: JoinAction, caller: Caller): Promise<boolean> {
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

export function check(context: TargetContext | undefined, action: JoinAction): void {
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
export async function isInTooMany(user: ObjectId, caller: Caller): Promise<boolean> {
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
