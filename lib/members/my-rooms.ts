import { ObjectId } from 'mongodb';
import { distinct, showId } from '../api/extended-json.ts';
import { limits } from '../api/limits.ts';
import { type Page, pageOf, withOneMore } from '../api/pages.ts';
import { id, type Parameter } from '../api/parameters.ts';
import { eitherOf } from '../api/schema.ts';
import { invalidParameter } from '../base/errors.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { epochPattern } from '../database/epoch.ts';
import { hideStatuses } from '../identity/blocks.ts';
import type { Caller } from '../identity/caller.ts';
import { findPersons, type Persons, showStated } from '../identity/persons.ts';
import type { OtherUser } from '../identity/users.ts';
import { notBlocked, peopleOf } from '../rooms/conversations.ts';
import { type Counters, counterFields } from '../rooms/counters.ts';
import { countUnreadThreads } from '../rooms/followed-threads.ts';
import { findReadings, type ReadState } from '../rooms/read-markers.ts';
import { type Member, showMember, showOwnMember } from './members.ts';

/**
 * A cursor of a list: the membership after which the next page begins. In the list of a user's
 * rooms it also has the time of the room's last activity.
 */
type MemberCursor = { id: ObjectId; at: Date | undefined };

/**
 * The cursor's format. Its time keeps it valid if its room becomes active again, is left or is
 * deleted.
 */
export const memberCursor: Parameter<MemberCursor> = {
  read: (sent) => {
    const [, at, id] = typeof sent === 'string' ? (/^(?:(\d{1,15})-)?([0-9a-fA-F]{24})$/.exec(sent) ?? []) : [];
    return id === undefined ? undefined : { id: new ObjectId(id), at: at ? new Date(Number(at)) : undefined };
  },
  rule: "be a member's id or a cursor from the list's Link header",
  schema: { type: 'string', pattern: '^(\\d{1,15}-)?[0-9a-fA-F]{24}$' },
};

/** The user whose memberships are listed. */
export const whose: Parameter<ObjectId | 'me'> = {
  read: (sent) => (sent === 'me' ? 'me' : id.read(sent)),
  rule: "be 'me' or an id of 24 hexadecimal characters",
  schema: eitherOf({ const: 'me' }, id.schema),
};

/** The header with the value of `since` for the next request. */
export const sinceHeader = {
  type: 'string',
  pattern: `^${epochPattern}\\.\\d+$`,
  description:
    'The cursor to send as `since` to get the rooms with activity from now on. Of several pages, use that of the first.',
};

/**
 * The requested page of the caller's memberships. With `since`, it has only rooms that changed
 * after this time.
 */
type MyRoomsPage = Page<MemberCursor> & { since?: Date | undefined };

/** A room with the caller's membership. */
type MyRoom = Pick<RoomDocument, '_id' | 'name' | 'avatar' | 'is_open' | 'direct_key' | 'seq' | 'changed_at'> &
  Counters & { members: [MemberDocument] };

/**
 * A page of the caller's memberships, the most recently active rooms first, and the `since` of the
 * next request.
 */
export async function listMyRooms(page: MyRoomsPage, caller: Caller) {
  const { limit, after, since } = page;
  const { user } = caller;
  const { items: mine, next } = pageOf(await readPage(page, caller), limit, (room) => room, cursorOf);
  const people = mine.flatMap((room) => othersIn(room, user._id) ?? []);
  const [readings, persons, threads] = await Promise.all([
    findReadings(mine, user._id, !after && !since),
    findShownPersons(distinct(people), caller),
    countUnreadThreads(user._id),
  ]);
  const items = mine.map((room, at): Member => {
    const others = othersIn(room, user._id)?.map((other) => showOther(other, persons));
    return {
      ...showOwnMember(room, room.members[0], user, readings[at] as ReadState),
      ...(room.avatar !== undefined && { room_avatar: room.avatar }),
      ...(!others && { room_is_open: room.is_open }),
      unread_threads: threads.get(room._id.toHexString()) ?? 0,
      ...(others && { others }),
    };
  });
  return {
    items,
    next: next === undefined ? undefined : { after: next },
    nextSince: new Date(Math.max((caller.at?.getTime() ?? 0) - longestWrite, since?.getTime() ?? 0)),
  };
}

/**
 * A page of a user's memberships in rooms that the caller shares, the most recently active rooms
 * first.
 */
export async function listSharedRooms(user: ObjectId, { limit, after }: Page<MemberCursor>, caller: Caller) {
  const [found, persons] = await Promise.all([readPage({ limit, after }, caller, user), findShownPersons([user], caller)]);
  const person = persons.get(user.toHexString());
  const { items, next } = pageOf(found, limit, ({ _id, members: [member] }) => showMember(_id, member, person), cursorOf);
  return { items, next: next === undefined ? undefined : { after: next } };
}

/** These users, as the caller may see them. */
async function findShownPersons(ids: ObjectId[], caller: Caller): Promise<Persons> {
  const persons = await findPersons(ids);
  return hideStatuses(new Map(ids.map((id) => [id.toHexString(), persons.get(id.toHexString())])), caller);
}

const cursorOf = ({ _id, changed_at }: MyRoom): string => `${changed_at.getTime()}-${_id.toHexString()}`;

// The time of a change is when its update began. A change that began within this many milliseconds
// may not have been readable yet.
const longestWrite = limits.requestTime;

const showOther = (id: ObjectId, persons: Persons): OtherUser => ({
  _id: showId(id),
  ...showStated(persons.get(id.toHexString())),
});

/** The other people of a direct conversation. */
const othersIn = ({ direct_key: people }: MyRoom, user: ObjectId): ObjectId[] | undefined =>
  people === undefined ? undefined : peopleOf(people).filter((one) => !one.equals(user));

/** The rooms of a page with the membership of the caller, or of another user who shares them. */
function readPage({ limit, after, since }: MyRoomsPage, caller: Caller, other?: ObjectId): Promise<MyRoom[]> {
  if (after && !after.at) throw invalidParameter('after', "be a cursor from this list's Link header");
  return rooms
    .find<MyRoom>(
      {
        'members.user': caller.user._id,
        ...(other && { $and: [{ 'members.user': other }] }),
        ...notBlocked(caller),
        ...(since && { changed_at: { $gte: since } }),
        ...(after?.at && { $or: [{ changed_at: { $lt: after.at } }, { changed_at: after.at, _id: { $gt: after.id } }] }),
      },
      { projection: myRoomFields(other ?? caller.user._id), sort: { changed_at: -1, _id: 1 }, ...withOneMore(limit) },
    )
    .toArray();
}

/** The projection to a `MyRoom` of this user. */
const myRoomFields = (user: ObjectId) => ({
  name: 1,
  avatar: 1,
  is_open: 1,
  direct_key: 1,
  seq: 1,
  changed_at: 1,
  ...counterFields,
  members: { $elemMatch: { user } },
});
