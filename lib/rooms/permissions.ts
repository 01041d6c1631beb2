import type { Filter, ObjectId } from 'mongodb';
import { notFound, permissionDenied } from '../errors.ts';
import type { Caller } from '../identity/tokens.ts';
import { counterFields } from './counters.ts';
import { isThere, type MemberDocument, type Role, type RoomDocument, rooms } from './rooms.ts';

/** Who does something in a room. */
export type Actor = Caller['user'];

/** What someone may do in a room, from the least to the most. */
const ranks = ['stranger', 'member', 'moderator', 'owner', 'admin'] as const;
export type Rank = (typeof ranks)[number];

/** A room as its caller finds it: all that decides what the caller may do to it and to the member or user at issue, the `target`. */
export type Standing = Pick<
  RoomDocument,
  '_id' | 'name' | 'is_open' | 'is_visible' | 'archived_at' | 'seq' | 'message_count' | 'lost' | 'lost_count'
> & {
  rank: Rank;
  member_count: number;
  owner_count: number;
  caller?: MemberDocument;
  target?: MemberDocument;
  /** The target's name, where it was found by its membership. */
  username?: string;
  is_banned: boolean;
};

/** How a caller stands to a room and, in it, to a user or to the member that the room is looked for by: one read. */
export async function findStanding(
  caller: Actor,
  of: { room: ObjectId; user?: ObjectId } | { member: ObjectId },
): Promise<Standing | undefined> {
  const byRoom = 'room' in of;
  const targetField = byRoom ? '$$member.user' : '$$member._id';
  const target = byRoom ? (of.user ?? caller._id) : of.member;
  const [found] = await rooms
    .aggregate<Omit<Standing, 'rank'>>([
      { $match: byRoom ? { ...isThere, _id: of.room } : { ...isThere, 'members._id': of.member } },
      {
        $project: {
          name: 1,
          is_open: 1,
          is_visible: 1,
          archived_at: 1,
          seq: 1,
          ...counterFields,
          member_count: { $size: '$members' },
          owner_count: { $size: membersWhere({ $eq: ['$$member.role', 'owner'] }) },
          caller: { $arrayElemAt: [membersWhere({ $eq: ['$$member.user', caller._id] }), 0] },
          target: { $arrayElemAt: [membersWhere({ $eq: [targetField, target] }), 0] },
          is_banned: { $in: [target, '$banned'] },
        },
      },
      ...(byRoom ? [] : withUsername),
    ])
    .toArray();
  return found && { ...found, rank: caller.is_admin ? 'admin' : (found.caller?.role ?? 'stranger') };
}

const membersWhere = (cond: object) => ({ $filter: { input: '$members', as: 'member', cond } });

const withUsername = [
  { $lookup: { from: 'users', localField: 'target.user', foreignField: '_id', as: 'users' } },
  { $set: { username: { $arrayElemAt: ['$users.username', 0] } } },
  { $project: { users: 0 } },
];

/** Goes on only if the room is there and may be seen (404) and its caller is at least this in it (403). */
export function requireRank(standing: Standing | undefined, least: Exclude<Rank, 'admin'>): Standing {
  if (!standing || (standing.rank === 'stranger' && !standing.is_visible)) throw notFound('room');
  if (!hasRank(standing, least)) throw permissionDenied(`Room ${least === 'member' ? 'membership' : least} required.`);
  return standing;
}

/** Goes on only if the member is there and in a room of the caller: to everyone else it is as not there (404). */
export function requireTarget(standing: Standing | undefined): Standing & { target: MemberDocument } {
  if (!standing?.target || standing.rank === 'stranger') throw notFound('member');
  return { ...standing, target: standing.target };
}

/** Whether the caller is at least this in the room. */
export const hasRank = ({ rank }: Standing, least: Rank): boolean => ranks.indexOf(rank) >= ranks.indexOf(least);

/** The part of an update's filter that says that its actor has at least this role in the room, or is an admin. */
export const holds = (actor: Actor, least: Role): Filter<Omit<RoomDocument, '_id'>> =>
  actor.is_admin ? {} : { members: { $elemMatch: { user: actor._id, role: { $in: rolesFrom(least) } } } };

/** The alternatives of which an update's filter must have one if the member is not to be the last owner: it is none, or another is one. */
export const isNotLastOwner = (member: ObjectId): Filter<Omit<RoomDocument, '_id'>>[] => [
  { members: { $elemMatch: { _id: member, role: { $ne: 'owner' } } } },
  { members: { $elemMatch: { _id: { $ne: member }, role: 'owner' } } },
];

const rolesFrom = (least: Role) => (['member', 'moderator', 'owner'] as const).slice(ranks.indexOf(least) - 1);
