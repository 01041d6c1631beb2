import { type Role, roles } from 'chat-service-rules/permissions';
import type { Filter, ObjectId } from 'mongodb';
import { attempt } from '../../base/deadline.ts';
import { conflict, type Refusal } from '../../base/errors.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../../collections/rooms/rooms.ts';
import { batchWritesByKey, fulfilled } from '../../database/batching.ts';
import type { Caller } from '../../identity/caller.ts';
import { noSuchWebhook } from '../../members/webhooks.ts';
import { findContext, type RoomContext } from '../../rooms/contexts.ts';
import { allowedTo, requirePermission, roomArchived } from '../../rooms/permissions.ts';
import { type Place, placeOf, takePlace } from '../../rooms/sequence.ts';

/**
 * A caller who wants to send a message to a room. `withMembers` requests the list of its users; the
 * room does not count a folded message.
 */
export type Sender = { room: ObjectId; caller: Caller; withMembers: boolean; isFolded: boolean };

/**
 * The reserved place, the room's members if they were requested, and the permission to mention all
 * of them.
 */
export type TakenPlace = { place: Place; members: ObjectId[]; mayAddressAll: boolean };

/**
 * Reserves a place for a member's message. Concurrent senders to a room share one update, unless
 * one of them may not send.
 */
export const takeMessagePlace = (sender: Sender): Promise<TakenPlace> => takeTogether(sender.room.toHexString(), sender);

const takeTogether = batchWritesByKey(async (senders: Sender[]): Promise<PromiseSettledResult<TakenPlace>[]> => {
  const taken = await takeInARow(senders);
  return taken ? taken.map(fulfilled) : Promise.allSettled(senders.map(takeAlone));
});

const takeAlone = (sender: Sender): Promise<TakenPlace> =>
  attempt({ times: 10 }, async () => {
    // The sender is allowed now, but was not a moment ago.
    const { is_direct } = await requireSender(sender);
    const taken = await takeInARow([sender]);
    if (!taken && is_direct && !(await rooms.findOne({ _id: sender.room, ...hasReaders }, { projection: { _id: 1 } })))
      throw nobodyLeft();
    return taken?.[0];
  });

/**
 * The room of a sender, if the sender may send to it. A webhook that was removed from the room gets
 * the error for an unknown secret.
 */
async function requireSender({ room, caller }: Sender): Promise<Pick<RoomContext, 'is_direct'>> {
  const context = await findContext(room, caller);
  if (!caller.isWebhook) return requirePermission(context, 'send');
  if (!context || !(await rooms.findOne({ _id: room, 'webhooks._id': caller.user._id }, { projection: { _id: 1 } })))
    throw noSuchWebhook();
  if (context.archived_at) throw roomArchived();
  return context;
}

export const nobodyLeft: Refusal = () => conflict('nobody_left', 'Nobody else is left in the conversation.');

/**
 * The condition that excludes a conversation in which only one person is left, because the other
 * accounts were deleted.
 */
const hasReaders: Filter<Omit<RoomDocument, '_id'>> = { $nor: [{ is_direct: true as const, members: { $size: 1 } }] };

async function takeInARow(senders: Sender[]): Promise<TakenPlace[] | undefined> {
  const [{ room }] = senders as [Sender];
  const asksForMembers = senders.some(({ withMembers }) => withMembers);
  const changed = await takePlace<Pick<RoomDocument, 'for_all_role'> & { members?: Pick<MemberDocument, 'user' | 'role'>[] }>(
    {
      where: { _id: room, ...allowedTo('send', ...senders.map(({ caller }) => caller)), ...hasReaders },
      ...(asksForMembers && { projection: { 'members.user': 1, 'members.role': 1, for_all_role: 1 } }),
    },
    senders.length,
    countedOf(senders),
  );
  if (!changed) return undefined;
  const last = placeOf(changed);
  const all = changed.members ?? [];
  const members = all.map(({ user }) => user);
  const rank = (role: Role | undefined) => roles.indexOf(role ?? 'member');
  // A webhook may not: its secret is stored in other programs' settings, where many people may see
  // it.
  const mayAddressAll = ({ user, isWebhook }: Caller) =>
    !isWebhook && rank(all.find((member) => member.user.equals(user._id))?.role) >= rank(changed.for_all_role);
  return senders.map(({ withMembers, caller }, index) => {
    const after = senders.slice(index + 1);
    const place = { ...last, seq: last.seq - after.length, ordinal: last.ordinal - countedOf(after) };
    return withMembers ? { place, members, mayAddressAll: mayAddressAll(caller) } : { place, members: [], mayAddressAll: false };
  });
}

const countedOf = (senders: Sender[]): number => senders.filter(({ isFolded }) => !isFolded).length;
