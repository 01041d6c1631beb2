import type { ObjectId } from 'mongodb';
import { tokens } from '../collections/accounts/tokens.ts';
import { users } from '../collections/accounts/users.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import type { AuditTarget } from '../collections/service/audit.ts';

/*
 * The targets of acts with their current names. A target that does not exist is undefined: nothing
 * can happen to it.
 */

/** An account. */
export async function userTarget(id: ObjectId): Promise<AuditTarget | undefined> {
  const found = await users.findOne<{ username: string }>({ _id: id }, { projection: { username: 1 } });
  return found ? { kind: 'user', id, name: found.username } : undefined;
}

/** A room, even if it is being deleted. */
export async function roomTarget(id: ObjectId): Promise<AuditTarget | undefined> {
  const found = await rooms.unscoped.findOne<{ name: string }>({ _id: id }, { projection: { name: 1 } });
  return found ? { kind: 'room', id, name: found.name } : undefined;
}

/** The account of a session or a token, and the name of the token. */
export async function tokenTarget(
  id: ObjectId,
  kind?: 'session' | 'api',
): Promise<{ target: AuditTarget; kind: 'session' | 'api'; details: Record<string, string> } | undefined> {
  const found = await tokens.findOne({ _id: id, ...(kind && { kind }) }, { projection: { user: 1, name: 1, kind: 1 } });
  if (!found) return undefined;
  const target = (await userTarget(found.user)) ?? { kind: 'user', id: found.user, name: null };
  return { target, kind: found.kind, details: { token: id.toHexString(), name: found.name } };
}

/** A room, a user's role in it, and optionally another member. */
export type RoomWithRole = Pick<RoomDocument, '_id' | 'name' | 'is_open' | 'is_visible'> & {
  target: AuditTarget;
  role: MemberDocument['role'] | undefined;
  other: MemberDocument | undefined;
};

/** Finds a room by its id or that of a member, with the role of a user in it. */
export async function roomWithRole(
  where: { room: ObjectId } | { member: ObjectId },
  user: ObjectId,
): Promise<RoomWithRole | undefined> {
  const member = 'member' in where ? where.member : null;
  const isMeant = { $or: [{ $eq: ['$$member.user', user] }, { $eq: ['$$member._id', member] }] };
  const members = { $filter: { input: '$members', as: 'member', cond: isMeant } };
  const filter = 'room' in where ? { _id: where.room } : { 'members._id': where.member };
  const [found] = await rooms
    .aggregate<Pick<RoomDocument, '_id' | 'name' | 'is_open' | 'is_visible' | 'members'>>(filter, [
      { $project: { name: 1, is_open: 1, is_visible: 1, members } },
    ])
    .toArray();
  if (!found) return undefined;
  return {
    ...found,
    target: { kind: 'room', id: found._id, name: found.name },
    role: found.members.find((one) => one.user.equals(user))?.role,
    other: member ? found.members.find(({ _id }) => _id.equals(member)) : undefined,
  };
}
