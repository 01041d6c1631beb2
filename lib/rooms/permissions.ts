import { type Action, hasRank, type Permission, permissionOf, permissions, roles } from 'chat-service-rules/permissions';
import type { Filter, ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { noteReading } from '../audit/reading.ts';
import { conflict, notFound, permissionDenied, type Refusal } from '../base/errors.ts';
import type { MemberDocument, RoomDocument } from '../collections/rooms/rooms.ts';
import { isWithinProcess } from '../database/within-process.ts';
import { type Caller, commandLine, isAdmin } from '../identity/caller.ts';
import { config } from '../settings/config.ts';
import { findContext, noSuchRoom, type RoomContext, type TargetContext } from './contexts.ts';

export const noSuchMember: Refusal = () => notFound('member');
export const roomArchived: Refusal = () => conflict('room_archived', 'The room is archived.');
const roomDirect: Refusal = () => conflict('room_direct', 'The room is a direct conversation.');
const roleRequired: Record<Permission['least'], Refusal> = {
  stranger: noSuchRoom,
  member: () => permissionDenied('membership_required', 'Room membership required.'),
  moderator: () => permissionDenied('moderator_required', 'Room moderator required.'),
  owner: () => permissionDenied('owner_required', 'Room owner required.'),
};

/** The refusals of an action by someone who sees the room, under all settings. */
export const refusalsOf = (action: Action): Refusal[] => {
  const { least, isInviting, notArchived, notDirect }: Permission = permissions[action];
  const ofRole = [...(isInviting ? [roleRequired.member] : []), ...(least === 'stranger' ? [] : [roleRequired[least]])];
  return [...ofRole, ...(notArchived ? [roomArchived] : []), ...(notDirect ? [roomDirect] : [])];
};

const ruleOf = (action: Action): Permission => permissionOf(action, config.invitations === 'members');

/** True if a caller's rank in the room suffices for an action. */
export const may = ({ rank, member }: RoomContext, action: Action): boolean =>
  hasRank(ruleOf(action), { role: member?.role, isAdmin: rank === 'admin' });

/**
 * Requires that the room exists and the caller may see it (404). Also requires that the caller's
 * role permits an action (403), and that the room's kind does (409).
 */
export function requireRole<Context extends RoomContext>(context: Context | undefined, action: Action): Context {
  const { least, notDirect } = ruleOf(action);
  if (!context || (context.rank === 'stranger' && !context.is_visible)) throw noSuchRoom();
  if (!may(context, action)) throw roleRequired[least]();
  if (notDirect && context.is_direct) throw roomDirect();
  return context;
}

/**
 * Requires the same as `requireRole`, and that the room is not archived if the action needs that
 * (409).
 */
export function requirePermission<Context extends RoomContext>(context: Context | undefined, action: Action): Context {
  const required = requireRole(context, action);
  const { notArchived } = ruleOf(action);
  if (notArchived && required.archived_at) throw roomArchived();
  return required;
}

/** Reads a room for a caller who wants to read its content; 404 or 403 if the caller may not. */
export const findReadableRoom = async (room: ObjectId, caller: Caller): Promise<RoomContext> =>
  requirePermission(await findContext(room, caller), 'read');

/**
 * Reads a room for a caller who wants to read its messages. The audit log records administrators
 * who are not members.
 */
export async function findRoomToRead(room: ObjectId, caller: Caller): Promise<RoomContext> {
  const context = await findReadableRoom(room, caller);
  await noteReadingAsAdmin(context, caller);
  return context;
}

/**
 * Records in the audit log that the caller reads a room as an administrator. It does not record
 * reads of open rooms, or by members.
 */
export async function noteReadingAsAdmin(context: RoomContext, caller: Caller): Promise<void> {
  const { rank, member, is_open, is_visible } = context;
  if (rank === 'admin' && !member && !(is_open && is_visible) && caller !== commandLine) await noteReading(context, caller);
}

/**
 * Reads something of a room for a caller who may; `check` throws for others. An embedded database
 * runs one call after the other. There, the check comes first: otherwise the time of a refusal
 * would distinguish a hidden room from one that does not exist. Any other database gets both calls
 * at the same time, which saves a round trip. A refusal waits for the check alone.
 */
export async function readChecked<Checked, T>(check: () => Promise<Checked>, read: () => Promise<T>): Promise<[Checked, T]> {
  if (!isWithinProcess()) return Promise.all([check(), read()]);
  const checked = await check();
  return [checked, await read()];
}

/**
 * Requires that the target is a member of the room, and that the caller is in the room. Throws 404
 * otherwise.
 */
export function requireTarget(context: TargetContext | undefined): TargetContext & { target: MemberDocument } {
  if (!context?.target || context.rank === 'stranger') throw noSuchMember();
  return { ...context, target: context.target };
}

type RoomFilter = Filter<Omit<RoomDocument, '_id'>>;

/**
 * The part of an update's filter that holds the rule of an action: it finds the room only while all
 * these callers may do it.
 */
export function allowedTo(action: Action, ...callers: Caller[]): RoomFilter {
  const { least, asMember, notArchived, notDirect } = ruleOf(action);
  const [webhooks, people] = [callers.filter(({ isWebhook }) => isWebhook), callers.filter(({ isWebhook }) => !isWebhook)];
  const users = people.filter((caller) => asMember || !isAdmin(caller)).map(({ user }) => user._id);
  const sufficient = roles.slice(least === 'stranger' ? 0 : roles.indexOf(least));
  // Each member has one of the roles.
  const has = (user: ObjectId): RoomFilter =>
    least === 'member' ? { 'members.user': user } : { members: { $elemMatch: { user, role: { $in: sufficient } } } };
  return {
    ...(least !== 'stranger' &&
      users.length + webhooks.length > 0 && { $and: [...distinct(users).map(has), ...webhooks.map(hasWebhook)] }),
    ...(notArchived && { archived_at: null }),
    ...(notDirect && { is_direct: { $ne: true as const } }),
  };
}

const hasWebhook = ({ user }: Caller): RoomFilter => ({ 'webhooks._id': user._id });

/** True if the target is the room's only owner. */
export const isLastOwner = ({ target, ownerCount }: TargetContext): boolean => target?.role === 'owner' && ownerCount === 1;

/** The part of an update's filter that says that the room has an owner without this member. */
export const keepsAnOwner = (member: ObjectId): RoomFilter => ({
  $or: [
    { members: { $elemMatch: { _id: member, role: { $ne: 'owner' } } } },
    { members: { $elemMatch: { _id: { $ne: member }, role: 'owner' } } },
  ],
});

/** The condition for leaving: the room keeps an owner, or is empty afterwards. */
export const mayBeLeftBy = (member: ObjectId): RoomFilter => ({ $or: [keepsAnOwner(member), { members: { $size: 1 } }] });
