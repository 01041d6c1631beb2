import { ObjectId } from 'mongodb';
import { type Listed, type Page, pageOf, withOneMore } from '../api/pages.ts';
import type { Parameter } from '../api/parameters.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms.ts';
import { invalidParameter } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { type Counters, counterFields } from '../rooms/counters.ts';
import { findReadMarkers } from '../rooms/read-markers.ts';
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

/** A page of the caller's memberships, those in the most recently active rooms first. */
export async function listMyRooms({ limit, after }: Page<MemberCursor>, { user }: Caller): Promise<Listed<Member>> {
  if (after && !after.at) throw invalidParameter('after', "be a cursor from this list's Link header");
  const found = await readPage({ limit, after }, user._id);
  const markers = await findReadMarkers(
    found.map(({ _id }) => _id),
    user._id,
  );
  const show = (room: MyRoom) => showOwnMember(room, room.member, user.username, markers.get(room._id.toHexString()));
  return pageOf(found, limit, show, ({ active_at, member }) => `${active_at.getTime()}-${member._id.toHexString()}`);
}

type MyRoom = Pick<RoomDocument, '_id' | 'name' | 'seq'> & Counters & { member: MemberDocument; active_at: Date };

const readPage = ({ limit, after }: Page<MemberCursor>, user: ObjectId) =>
  rooms
    .aggregate<MyRoom>(
      { 'members.user': user },
      [
        {
          $project: {
            name: 1,
            seq: 1,
            ...counterFields,
            active_at: { $max: ['$last_message_at', '$changed_at'] },
            member: { $arrayElemAt: [{ $filter: { input: '$members', as: 'member', cond: isUser(user) } }, 0] },
          },
        },
        ...(after ? [{ $match: isAfter(after) }] : []),
        { $sort: { active_at: -1, 'member._id': 1 } },
        { $limit: limit + 1 },
      ],
      { batchSize: withOneMore(limit).batchSize },
    )
    .toArray();

const isUser = (user: ObjectId) => ({ $eq: ['$$member.user', user] });

const isAfter = ({ at, member }: MemberCursor) => ({
  $or: [{ active_at: { $lt: at } }, { active_at: at, 'member._id': { $gt: member } }],
});
