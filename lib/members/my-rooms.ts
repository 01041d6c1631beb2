import { ObjectId } from 'mongodb';
import type { Page, Row } from '../api/pages.ts';
import type { Parameter } from '../api/parameters.ts';
import { invalidParameter } from '../errors.ts';
import { type Counters, counterFields } from '../rooms/counters.ts';
import type { Actor } from '../rooms/permissions.ts';
import { findReads } from '../rooms/read-markers.ts';
import { isThere, type MemberDocument, type RoomDocument, rooms } from '../rooms/rooms.ts';
import { type Member, showOwnMember } from './members.ts';

/** A place in a list of members: after this one and, in that of someone's rooms, the time when its room was active last. */
export type MemberCursor = { member: ObjectId; at: Date | undefined };

/** The cursor as it is sent; with its time it holds though its room may be active again, left or deleted meanwhile. */
export const memberCursor: Parameter<MemberCursor> = {
  read: (sent) => {
    const [, at, member] = typeof sent === 'string' ? (/^(?:(\d{1,15})-)?([0-9a-fA-F]{24})$/.exec(sent) ?? []) : [];
    return member === undefined ? undefined : { member: new ObjectId(member), at: at ? new Date(Number(at)) : undefined };
  },
  rule: "be a member's id or a cursor from the list's Link header",
  schema: { type: 'string', pattern: '^(\\d{1,15}-)?[0-9a-fA-F]{24}$' },
};

/** A page of the caller's memberships, those in the most recently active rooms first, and one more. */
export async function listOwnRooms({ limit, after }: Page<MemberCursor>, caller: Actor): Promise<Row<Member>[]> {
  if (after && !after.at) throw invalidParameter('after', "be a cursor from this list's Link header");
  const found = await readPage({ limit, after }, caller);
  const reads = await findReads(
    found.map(({ _id }) => _id),
    caller._id,
  );
  return found.map((room) => ({
    value: showOwnMember(room, room.member, caller.username, reads.get(room._id.toHexString())),
    cursor: `${room.active_at.getTime()}-${room.member._id.toHexString()}`,
  }));
}

type OwnRoom = Pick<RoomDocument, '_id' | 'name' | 'seq'> & Counters & { member: MemberDocument; active_at: Date };

const readPage = ({ limit, after }: Page<MemberCursor>, caller: Actor) =>
  rooms
    .aggregate<OwnRoom>(
      [
        { $match: { ...isThere, 'members.user': caller._id } },
        {
          $project: {
            name: 1,
            seq: 1,
            ...counterFields,
            active_at: { $max: ['$last_message_at', '$changed_at'] },
            member: { $arrayElemAt: [{ $filter: { input: '$members', as: 'member', cond: isCaller(caller) } }, 0] },
          },
        },
        ...(after ? [{ $match: isAfter(after) }] : []),
        { $sort: { active_at: -1, 'member._id': 1 } },
        { $limit: limit + 1 },
      ],
      { batchSize: limit + 1 },
    )
    .toArray();

const isCaller = ({ _id }: Actor) => ({ $eq: ['$$member.user', _id] });

const isAfter = ({ at, member }: MemberCursor) => ({
  $or: [{ active_at: { $lt: at } }, { active_at: at, 'member._id': { $gt: member } }],
});
