import type { ObjectId } from 'mongodb';
import { optional, sequence, type Values } from '../api/parameters.ts';
import type { MemberDocument, Role } from '../collections/rooms.ts';
import { conflict, invalidParameter, permissionDenied, type Refusal } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { changeRoom } from '../rooms/change.ts';
import { recordEvent } from '../rooms/event-log.ts';
import {
  allowedTo,
  findContextOfMember,
  isLastOwner,
  keepsAnOwner,
  type RoomContext,
  refusalsOf,
  requireRole,
  requireTarget,
} from '../rooms/permissions.ts';
import { countUpTo, moveReadMarker } from '../rooms/read-markers.ts';
import { type ChangedRoom, placeOf } from '../rooms/sequence.ts';
import { type Member, memberRole, showTarget } from './members.ts';

/** What can be changed of a member: its role by owners, its read marker by the member. */
export const memberChanges = { last_read: optional(sequence), role: optional(memberRole) };

const ownMarkerOnly: Refusal = () => permissionDenied('Only members themselves know what they have read.');
const lastOwnerMustRemain: Refusal = () => conflict('The last owner must stay an owner.');
export const memberChangeRefusals = [...refusalsOf('changeRole'), ownMarkerOnly, lastOwnerMustRemain];

type Change = Values<typeof memberChanges>;

/** Makes all of a change, or nothing if a part of it is not allowed. */
export async function changeMember(member: ObjectId, change: Change, caller: Caller): Promise<Member> {
  const { role, last_read } = change;
  const find = async () => requireTarget(await findContextOfMember(member, caller));
  const findAndCheck = async () => check(await find(), change, caller);

  let context = last_read === undefined ? undefined : await findAndCheck();
  if (role !== undefined) {
    await recordRole(await changeRole(member, role, caller, findAndCheck), caller);
    context = await find();
  }
  context ??= await find();
  const marker = last_read === undefined ? undefined : await moveMarkerOf(context, last_read);
  return showTarget(context, caller, marker);
}

type Found = RoomContext & { target: MemberDocument };
type Changed = ChangedRoom & { members: MemberDocument[] };

const changeRole = (member: ObjectId, role: Role, caller: Caller, check: () => Promise<unknown>): Promise<Changed> =>
  changeRoom(
    {
      where: {
        $and: [{ 'members._id': member }, allowedTo('changeRole', caller), role === 'owner' ? {} : keepsAnOwner(member)],
      },
      update: { $set: { 'members.$[target].role': role } },
      arrayFilters: [{ 'target._id': member }],
      projection: { members: { $elemMatch: { _id: member } } },
    },
    check,
  );

function recordRole(room: Changed, caller: Caller): Promise<void> {
  const { _id: member, user, role } = room.members[0] as MemberDocument;
  return recordEvent(placeOf(room), caller.user._id, 'member.changed', { member, user, role });
}

/** Moves the read marker of the target, forwards only. */
async function moveMarkerOf({ _id: room, seq, message_count, target }: Found, lastRead: number) {
  // Up to the very end, which is how far most read, the number of messages is known.
  const ordinal = lastRead === seq ? message_count : await countUpTo(room, lastRead);
  return moveReadMarker(room, target.user, lastRead, ordinal);
}

/** Requires that all of a change is allowed. */
function check(context: Found, { role, last_read }: Change, caller: Caller): Found {
  const { target, seq } = context;
  if (role !== undefined) requireRole(context, 'changeRole');
  if (last_read !== undefined && !target.user.equals(caller.user._id)) throw ownMarkerOnly();
  if (last_read !== undefined && last_read > seq) throw invalidParameter('last_read', `be from 0 to ${seq}, the room's 'seq'`);
  if (role !== undefined && role !== 'owner' && isLastOwner(context)) throw lastOwnerMustRemain();
  return context;
}
