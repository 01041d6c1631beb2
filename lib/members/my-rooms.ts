import { ObjectId } from 'mongodb';
import { distinct, showId } from '../api/extended-json.ts';
import { limits } from '../api/limits.ts';
import { type Listed, type Page, pageOf, withOneMore } from '../api/pages.ts';
import type { Parameter } from '../api/parameters.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms.ts';
import { invalidParameter } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { deletedUsername, findUsernames, type OtherUser } from '../identity/users.ts';
import { notBlocked } from '../rooms/conversations.ts';
import { type Counters, counterFields } from '../rooms/counters.ts';
import { findReadings, type Reading } from '../rooms/read-markers.ts';
import { type Member, showOwnMember } from './members.ts';

/** A place in a list of members: after this member and, in the list of someone's rooms, the time when its room was last active. */
export type MemberCursor = { member: ObjectId; at: Date | undefined };

/** The cursor as it is sent. With its time it stays valid although its room may be active again, left or deleted meanwhile. */
export const memberCursor: Parameter<MemberCursor> = {
  read: (sent) => {
    const [, at, member] = typeof sent === 'string' ? (/^(?:(\d{1,15})-)?([0-9a-fA-F]{24})$/.exec(sent) ?? []) : [];
    return member === undefined ? undefined : { member: new ObjectId(member), at: at ? new Date(Number(at)) : undefined };
  },
  rule: "be a member's id or a cursor from the list's Link header",
  schema: { type: 'string', pattern: '^(\\d{1,15}-)?[0-9a-fA-F]{24}$' },
};

/** The header that says since when to ask the next time for the rooms that moved. */
export const sinceHeader = {
  type: 'string',
  format: 'date-time',
  description: "What to send as `since` to get the rooms that moved from now on; of several pages, the first one's.",
};

/** The page of the caller's memberships that is asked for: of those rooms in which something happened `since` a time. */
type MyRoomsPage = Page<MemberCursor> & { since?: Date | undefined };

/** A page of the caller's memberships, those in the most recently active rooms first, and since when to ask the next time. */
export async function listMyRooms(
  { limit, after, since }: MyRoomsPage,
  caller: Caller,
): Promise<Listed<Member> & { nextSince: Date }> {
  const { user } = caller;
  if (after && !after.at) throw invalidParameter('after', "be a cursor from this list's Link header");
  const found = await readPage({ limit, after, since }, caller);
  const [readings, usernames] = await Promise.all([
    findReadings(
      found.map(({ _id }) => _id),
      user._id,
    ),
    findUsernames(distinct(found.flatMap(({ others = [] }) => others))),
  ]);
  const show = (room: MyRoom): Member => ({
    ...showOwnMember(room, room.member, user.username, readings.get(room._id.toHexString()) as Reading),
    ...(room.others && { others: room.others.map((other) => showOther(other, usernames)) }),
  });
  const page = pageOf(found, limit, show, ({ active_at, member }) => `${active_at.getTime()}-${member._id.toHexString()}`);
  const now = (found[0]?.now.getTime() ?? 0) - longestWrite;
  return { ...page, nextSince: new Date(Math.max(now, since?.getTime() ?? 0)) };
}

// A change has the time at which its update began. One that was made within so many milliseconds may not have been there to be read.
const longestWrite = limits.requestTime;

const showOther = (id: ObjectId, usernames: Map<string, string>): OtherUser => ({
  _id: showId(id),
  username: usernames.get(id.toHexString()) ?? deletedUsername,
});

type MyRoom = Pick<RoomDocument, '_id' | 'name' | 'seq'> &
  Counters & { member: MemberDocument; active_at: Date; now: Date; others?: ObjectId[] };

const readPage = ({ limit, after, since }: MyRoomsPage, caller: Caller) =>
  rooms
    .aggregate<MyRoom>(
      { 'members.user': caller.user._id, ...notBlocked(caller), ...(since && { changed_at: { $gte: since } }) },
      [
        {
          $project: {
            name: 1,
            seq: 1,
            ...counterFields,
            now: '$$NOW',
            active_at: { $max: ['$last_message_at', '$changed_at'] },
            member: { $arrayElemAt: [{ $filter: { input: '$members', as: 'member', cond: isUser(caller) } }, 0] },
            others: { $cond: ['$is_direct', { $setDifference: ['$members.user', [caller.user._id]] }, '$$REMOVE'] },
          },
        },
        ...(after ? [{ $match: isAfter(after) }] : []),
        { $sort: { active_at: -1, 'member._id': 1 } },
        { $limit: limit + 1 },
      ],
      { batchSize: withOneMore(limit).batchSize },
    )
    .toArray();

const isUser = ({ user }: Caller) => ({ $eq: ['$$member.user', user._id] });

const isAfter = ({ at, member }: MemberCursor) => ({
  $or: [{ active_at: { $lt: at } }, { active_at: at, 'member._id': { $gt: member } }],
});
