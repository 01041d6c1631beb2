import type { ObjectId } from 'mongodb';
import { type DateTime, dateSchema, showDate } from '../api/dates.ts';
import { type Id, idSchema, showId } from '../api/extended-json.ts';
import type { Page } from '../api/pages.ts';
import { aCount, aText, record } from '../api/schema.ts';
import { deletedUsername } from '../identity/users.ts';
import { type Counters, unreadOf } from '../rooms/counters.ts';
import { type Actor, findStanding, requireRank, requireTarget, type Standing } from '../rooms/permissions.ts';
import { findRead, nothingRead, type ReadDocument } from '../rooms/read-markers.ts';
import { isThere, type MemberDocument, type Role, type RoomDocument, roleSchema, rooms } from '../rooms/rooms.ts';

/** A member of a room as the API shows it; to itself also what it needs to list its rooms. */
export type Member = {
  _id: Id;
  room: Id;
  user: Id;
  username: string;
  role: Role;
  joined_at: DateTime;
  room_name?: string;
  seq?: number;
  last_read?: number;
  unread?: number;
};

export const memberSchema = record<Member>(
  'Member',
  {
    _id: idSchema,
    room: idSchema,
    user: idSchema,
    username: aText,
    role: roleSchema,
    joined_at: dateSchema,
    room_name: aText,
    seq: aCount,
    last_read: aCount,
    unread: aCount,
  },
  ['room_name', 'seq', 'last_read', 'unread'],
);

/** What a member is told of its own room. */
type OwnRoom = Pick<RoomDocument, '_id' | 'name' | 'seq'> & Counters;

type Marker = Pick<ReadDocument, 'seq' | 'ordinal'>;

/** A member as the API shows it to others. */
export const showMember = (room: ObjectId, member: MemberDocument, username: string): Member => ({
  _id: showId(member._id),
  room: showId(room),
  user: showId(member.user),
  username,
  role: member.role,
  joined_at: showDate(member.joined_at),
});

/** A member as the API shows it to itself. */
export const showOwnMember = (room: OwnRoom, member: MemberDocument, username: string, read: Marker = nothingRead): Member => ({
  ...showMember(room._id, member, username),
  room_name: room.name,
  seq: room.seq,
  last_read: read.seq,
  unread: unreadOf(room, read),
});

/** A page of a room's members by the order of their ids, and one more; for members. */
export async function listMembers(room: ObjectId, page: Page, caller: Actor): Promise<Member[]> {
  const [standing, rows, read] = await Promise.all([
    findStanding(caller, { room }),
    readPage(room, page),
    findRead(room, caller._id),
  ]);
  const seen = requireRank(standing, 'member');
  return rows.map(({ member, users: [user] }) =>
    member.user.equals(caller._id)
      ? showOwnMember(seen, member, caller.username, read)
      : showMember(room, member, user?.username ?? deletedUsername),
  );
}

/** The member, for those in its room; 404 for everyone else. */
export async function findMember(member: ObjectId, caller: Actor): Promise<Member> {
  return showTarget(requireTarget(await findStanding(caller, { member })), caller);
}

/** The target of a standing, to its caller. */
export async function showTarget(
  standing: Standing & { target: MemberDocument },
  caller: Actor,
  marker?: Marker,
): Promise<Member> {
  const { target, username = deletedUsername } = standing;
  if (!target.user.equals(caller._id)) return showMember(standing._id, target, username);
  return showOwnMember(standing, target, username, marker ?? (await findRead(standing._id, caller._id)));
}

type MemberRow = { member: MemberDocument; users: { username: string }[] };

// Sorted and cut by the database, so that of a thousand members only a page is sent, each with its name.
const readPage = (room: ObjectId, { after, limit }: Page) =>
  rooms
    .aggregate<MemberRow>(
      [
        { $match: { ...isThere, _id: room } },
        { $unwind: '$members' },
        ...(after ? [{ $match: { 'members._id': { $gt: after } } }] : []),
        { $sort: { 'members._id': 1 } },
        { $limit: limit + 1 },
        { $lookup: { from: 'users', localField: 'members.user', foreignField: '_id', as: 'users' } },
        { $project: { member: '$members', 'users.username': 1 } },
      ],
      { batchSize: limit + 1 },
    )
    .toArray();
