import type { Role } from 'chat-service-rules/permissions';
import type { ObjectId } from 'mongodb';
import { users } from '../collections/accounts/users.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import type { AuditAction } from './actions.ts';
import type { Act } from './append.ts';
import { type RoomWithRole, roomTarget, roomWithRole, userTarget } from './targets.ts';

/** An act on a room that its owner might do. */
export async function actsOnRoom(
  room: ObjectId,
  actions: readonly AuditAction[],
  caller: Caller,
  details: Record<string, string> = {},
): Promise<Act[]> {
  const target = actions.length > 0 ? (await roomOfOthers(room, caller, ['owner']))?.target : undefined;
  return target ? actions.map((action) => ({ action, target, details })) : [];
}

/**
 * The changes of a room's details: archiving is an act of its own. Administrators alone may set a
 * hold, and who joins it.
 */
export async function actsOfDetails(
  room: ObjectId,
  { archived, is_held, is_default, ...others }: Partial<Record<'archived' | 'is_held' | 'is_default', boolean | undefined>>,
  caller: Caller,
): Promise<Act[]> {
  const isChanged = Object.values(others).some((one) => one !== undefined);
  const actions: AuditAction[] = [
    ...(archived === undefined ? [] : [archived ? ('room.archived' as const) : ('room.unarchived' as const)]),
    ...(isChanged ? ['room.changed' as const] : []),
  ];
  const changed = await actsOnRoom(room, actions, caller);
  const isOfAdmins = isAdmin(caller) && (is_held !== undefined || is_default !== undefined);
  const target = isOfAdmins ? await roomTarget(room) : undefined;
  if (!target) return changed;
  const isNamed = changed.some(({ action }) => action === 'room.changed');
  return [
    ...(is_held === undefined ? [] : [{ action: is_held ? ('room.held' as const) : ('room.released' as const), target }]),
    ...(is_default === undefined || isNamed ? [] : [{ action: 'room.changed' as const, target }]),
    ...changed,
  ];
}

/** The deletion of a room, or its continuation. Only administrators may do it. */
export async function actOfRoomDeletion(room: ObjectId): Promise<Act[]> {
  const target = await roomTarget(room);
  return target ? [{ action: 'room.deleted', target }] : [];
}

type NewMember = {
  room?: ObjectId | undefined;
  user?: ObjectId | undefined;
  username?: string | undefined;
  invitation?: string | undefined;
  role: string;
};

/**
 * The addition of a member by an administrator, if the administrator's role in the room does not
 * allow it.
 */
export async function actOfAddition({ room, user, username, invitation, role }: NewMember, caller: Caller): Promise<Act[]> {
  if (!isAdmin(caller) || !room || invitation !== undefined) return [];
  const found = await roomWithRole({ room }, caller.user._id);
  if (!found) return [];
  const isSelf = username === undefined && (user === undefined || user.equals(caller.user._id));
  const mayAnyway =
    found.role === 'owner' ||
    (role === 'member' && (found.role === 'moderator' || (isSelf && found.is_open && found.is_visible)));
  if (mayAnyway) return [];
  const id = user ?? (username === undefined ? caller.user._id : await findIdOf(username));
  const target = id && (await userTarget(id));
  return target ? [{ action: 'member.added', target, details: { ...inRoom(found), role } }] : [];
}

/** A change of a room's member by an administrator: a new role, or the removal. */
export async function actOnMember(
  member: ObjectId,
  action: 'member.role_changed' | 'member.removed',
  caller: Caller,
  details: Record<string, string> = {},
): Promise<Act[]> {
  if (!isAdmin(caller)) return [];
  const found = await roomWithRole({ member }, caller.user._id);
  if (!found?.other || found.role === 'owner') return [];
  // One leaves a room like everyone else, and moderators remove members.
  const mayRemove = found.other.user.equals(caller.user._id) || (found.role === 'moderator' && found.other.role === 'member');
  if (action === 'member.removed' && mayRemove) return [];
  const target = await userTarget(found.other.user);
  return target ? [{ action, target, details: { ...inRoom(found), ...details } }] : [];
}

/** A ban is lifted. */
export async function actOnBan(room: ObjectId, user: ObjectId, caller: Caller): Promise<Act[]> {
  const found = await roomOfOthers(room, caller, ['owner', 'moderator']);
  const target = found && (await userTarget(user));
  return target ? [{ action: 'ban.lifted', target, details: inRoom(found) }] : [];
}

/** A change of a room's invitation or webhook that only its moderators may make otherwise. */
export async function actInRoom(
  room: ObjectId,
  action: `${'invitation' | 'webhook'}.${'created' | 'mailed' | 'changed' | 'revoked'}` & AuditAction,
  id: ObjectId | undefined,
  caller: Caller,
  details: Record<string, string> = {},
): Promise<Act[]> {
  const target = (await roomOfOthers(room, caller, ['owner', 'moderator']))?.target;
  return target ? [{ action, target, details: { ...(id && { id: id.toHexString() }), ...details } }] : [];
}

/**
 * The room, if the caller is an administrator without one of these roles, which would permit the
 * same act.
 */
async function roomOfOthers(room: ObjectId, caller: Caller, roles: readonly Role[]): Promise<RoomWithRole | undefined> {
  const found = isAdmin(caller) ? await roomWithRole({ room }, caller.user._id) : undefined;
  return found?.role && roles.includes(found.role) ? undefined : found;
}

/** A room as a detail of an act on somebody. */
const inRoom = ({ _id, name }: { _id: ObjectId; name: string }): Record<string, string> => ({
  room: _id.toHexString(),
  room_name: name,
});

const findIdOf = async (username: string): Promise<ObjectId | undefined> =>
  (await users.findOne<{ _id: ObjectId }>({ username }, { projection: { _id: 1 } }))?._id;
