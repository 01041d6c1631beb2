import type { Role } from 'chat-service-rules/permissions';
import type { ObjectId } from 'mongodb';
import { about, flag, integer, oneOf, optional, orNone, requireAtMostOne, sequence, type Values } from '../api/parameters.ts';
import { conflict, invalidParameter, permissionDenied, type Refusal } from '../base/errors.ts';
import { roomNews } from '../collections/rooms/read-markers.ts';
import type { MemberDocument } from '../collections/rooms/rooms.ts';
import { actorId, type Caller } from '../identity/caller.ts';
import { notify } from '../notices/notices.ts';
import { changeRoom } from '../rooms/change.ts';
import { findContextOfMember, type TargetContext } from '../rooms/contexts.ts';
import { recordEvent } from '../rooms/event-log.ts';
import { allowedTo, isLastOwner, keepsAnOwner, refusalsOf, requireRole, requireTarget } from '../rooms/permissions.ts';
import {
  countUpTo,
  findMarker,
  findReading,
  markRoom,
  moveReadMarker,
  moveReadMarkerBack,
  type ReadMarker,
  type ReadState,
  readingOf,
} from '../rooms/read-markers.ts';
import { type ChangedRoom, placeOf } from '../rooms/sequence.ts';
import { withoutMadeBy } from './made.ts';
import { type Member, memberRole, showTarget } from './members.ts';

/** The changes to a member. Owners change the role; the member changes everything else. */
export const memberChanges = {
  last_read: about('The last `seq` that the member has read. The marker only moves forward.', optional(sequence)),
  unread_from: about('The `seq` of the first message to mark as unread.', optional(integer(1, Number.MAX_SAFE_INTEGER))),
  is_muted: about('Whether to mute the notifications of this room.', optional(flag)),
  notify_of: about(
    'The messages of this room that notify devices, unless it is muted. `all`: all. `mentions`: mentions, and replies in followed threads. Null: each device decides (`of` of its push subscription).',
    optional(orNone(oneOf(...roomNews))),
  ),
  is_favourite: about('Whether the room is one of the favourites, which pages list first.', optional(flag)),
  favourite_order: about(
    'The position among the favourites: lower numbers first, rooms without a number last, by name. It is removed when the room stops being a favourite.',
    optional(sequence),
  ),
  role: optional(memberRole),
};

const ownMarkerOnly: Refusal = () => permissionDenied('own_marker_only', 'You can only move your own read marker.');
const ownMutingOnly: Refusal = () => permissionDenied('own_muting_only', 'You can only choose your own notifications.');
const ownFavouritesOnly: Refusal = () => permissionDenied('own_favourites_only', 'You can only choose favourites for yourself.');
const notAFavourite: Refusal = () => conflict('not_a_favourite', 'Only favourites have an order.');
const lastOwnerMustRemain: Refusal = () => conflict('last_owner', 'The last owner must stay an owner.');
export const memberChangeRefusals = [
  ...refusalsOf('changeRole'),
  ownMarkerOnly,
  ownMutingOnly,
  ownFavouritesOnly,
  notAFavourite,
  lastOwnerMustRemain,
];

type Change = Partial<Values<typeof memberChanges>>;

/** Applies a change completely, or not at all if a part of it is not allowed. */
export async function changeMember(member: ObjectId, change: Change, caller: Caller): Promise<Member> {
  const { role, ...own } = change;
  const find = async () => requireTarget(await findContextOfMember(member, caller));
  const findAndCheck = async () => check(await find(), change, caller);

  const isOwn = Object.values(own).some((value) => value !== undefined);
  let context = isOwn ? await findAndCheck() : undefined;
  if (role !== undefined) {
    const { target } = context ?? (await findAndCheck());
    await recordRole(await changeRole(target, role, caller, findAndCheck), caller);
    context = await find();
  }
  context ??= await find();
  return showTarget(context, caller, isOwn ? await changeReading(context, own) : undefined);
}

type FoundMember = TargetContext & { target: MemberDocument };
type ChangedMembers = ChangedRoom & { members: MemberDocument[] };

const changeRole = (
  { _id: member, user }: MemberDocument,
  role: Role,
  caller: Caller,
  check: () => Promise<unknown>,
): Promise<ChangedMembers> =>
  changeRoom(
    {
      where: {
        $and: [{ 'members._id': member }, allowedTo('changeRole', caller), role === 'owner' ? {} : keepsAnOwner(member)],
      },
      update: {
        $set: { 'members.$[target].role': role },
        ...(role === 'member' && { $pull: withoutMadeBy(user) }),
      },
      arrayFilters: [{ 'target._id': member }],
      projection: { members: { $elemMatch: { _id: member } } },
    },
    check,
  );

function recordRole(room: ChangedMembers, caller: Caller): Promise<void> {
  const { _id: member, user, role } = room.members[0] as MemberDocument;
  return recordEvent(placeOf(room), actorId(caller), 'member.changed', { member, user, role });
}

/**
 * Changes the target's read marker and preferences for the room, and notifies the target's other
 * devices.
 */
async function changeReading(
  room: FoundMember,
  { last_read, unread_from, is_muted, notify_of, is_favourite, favourite_order }: Omit<Change, 'role'>,
): Promise<ReadState> {
  const user = room.target.user;
  const changed = {
    ...(is_muted !== undefined && { is_muted }),
    ...(notify_of !== undefined && { notify_of }),
    ...(is_favourite !== undefined && { is_favourite }),
    ...(favourite_order !== undefined && { favourite_order }),
  };
  let marker: ReadMarker | undefined;
  if (Object.keys(changed).length > 0) {
    marker = await markRoom(room._id, user, changed);
    if (!marker) throw notAFavourite();
  }
  if (last_read !== undefined) marker = await moveReadMarker(room._id, user, last_read, await ordinalAt(room, last_read));
  if (unread_from !== undefined)
    marker = await moveReadMarkerBack(room._id, user, unread_from - 1, await ordinalAt(room, unread_from - 1));
  if (marker) notify({ type: 'read', room: room._id.toHexString(), user: user.toHexString(), seq: marker.seq, ...changed });
  return marker ? readingOf(room, user, marker) : findReading(room, user);
}

// Most clients mark everything as read; the room has the number of messages up to its end.
const ordinalAt = async ({ _id: room, seq, message_count }: FoundMember, at: number) =>
  at === seq ? message_count : countUpTo(room, at);

/** Requires that each part of a change is allowed. */
async function check(
  context: FoundMember,
  { role, last_read, unread_from, is_muted, notify_of, is_favourite, favourite_order }: Change,
  caller: Caller,
): Promise<FoundMember> {
  const { target, seq } = context;
  const isOwn = target.user.equals(caller.user._id);
  if (role !== undefined) requireRole(context, 'changeRole');
  if ((last_read ?? unread_from) !== undefined && !isOwn) throw ownMarkerOnly();
  if ((is_muted ?? notify_of) !== undefined && !isOwn) throw ownMutingOnly();
  if ((is_favourite ?? favourite_order) !== undefined && !isOwn) throw ownFavouritesOnly();
  requireAtMostOne(['last_read', 'unread_from'], { last_read, unread_from });
  if (last_read !== undefined && last_read > seq) throw invalidParameter('last_read', `be from 0 to ${seq}, the room's 'seq'`);
  if (unread_from !== undefined && unread_from > seq)
    throw invalidParameter('unread_from', `be from 1 to ${seq}, the room's 'seq'`);
  if (role !== undefined && role !== 'owner' && isLastOwner(context)) throw lastOwnerMustRemain();
  if (favourite_order !== undefined) await requireFavourite(context, is_favourite);
  return context;
}

/**
 * Requires that a room is a favourite or becomes one by the same change. Only favourites have an
 * order.
 */
async function requireFavourite({ _id: room, target }: FoundMember, becomes: boolean | undefined): Promise<void> {
  if (becomes === false) throw invalidParameter('favourite_order', "be left out where 'is_favourite' is false");
  if (!becomes && !(await findMarker(room, target.user)).isFavourite) throw notAFavourite();
}
