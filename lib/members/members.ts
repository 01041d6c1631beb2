import { roles } from 'chat-service-rules/permissions';
import { comparePersons, matchesPerson } from 'chat-service-rules/words/names';
import type { ObjectId } from 'mongodb';
import { historyReplaced } from '../api/cursors.ts';
import { dateSchema, idSchema, showDate, showId } from '../api/extended-json.ts';
import { type ListPage, type Page, pageOf, withOneMore } from '../api/pages.ts';
import { about, oneOf } from '../api/parameters.ts';
import { aCount, aFlag, aNull, aText, aWord, described, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { roomNews } from '../collections/rooms/read-markers.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { hideStatuses } from '../identity/blocks.ts';
import type { Caller } from '../identity/caller.ts';
import { findPersons, personFields, personReads, type StatedPerson, showStated, statedFields } from '../identity/persons.ts';
import { aUserId, shownOtherUser } from '../identity/users.ts';
import { findContextOfMember, noSuchRoom, type TargetContext } from '../rooms/contexts.ts';
import { type Counters, unreadOf } from '../rooms/counters.ts';
import { aRoomPicture } from '../rooms/details.ts';
import { findReadableRoom, refusalsOf, requireTarget } from '../rooms/permissions.ts';
import { findMarker, findReading, mostMentions, type ReadState, readingOf } from '../rooms/read-markers.ts';
import { aRoomId } from '../rooms/rooms.ts';

/** A member's role. */
export const memberRole = about(
  'The role: owners change the room and its members, moderators remove people and messages.',
  oneOf(...roles.toReversed()),
);

const ofWhom = { room: aRoomId, user: aUserId };

/**
 * A member of a room as the API shows it. Members see more of their own membership: everything that
 * a client needs to list its rooms. The list also shows the other people in direct conversations,
 * which do not have names.
 */
export const memberSchema = record(
  'Member',
  {
    _id: described('The id of the membership, not of the user.', idSchema),
    ...ofWhom,
    ...statedFields,
    role: described(memberRole.about, aWord(...roles.toReversed())),
    joined_at: described('The time of joining.', dateSchema),
    room_name: described("The name of the room. It and all fields below are only in the caller's own memberships.", aText),
    room_avatar: described(`${aRoomPicture.description} Only in the list.`, aText),
    room_is_open: described('Whether anyone can join the room; only in the list, and not of a direct conversation.', aFlag),
    seq: described('The latest place in the room; anything after it is new.', aCount),
    last_read: described('The last place that the caller has read.', aCount),
    unread: described('Unread messages from others (deleted ones do not count). Sending marks the room as read.', aCount),
    unread_mentions: described(`Unread messages that mention the caller, at most ${mostMentions}.`, {
      ...aCount,
      maximum: mostMentions,
    }),
    is_muted: described('Whether the caller has muted the notifications of this room.', aFlag),
    notify_of: described(
      'The messages of this room that notify the caller’s devices, unless it is muted; null if each device decides.',
      orNull(aWord(...roomNews)),
    ),
    is_favourite: described('Whether the room is one of the caller’s favourites.', aFlag),
    favourite_order: described(
      'The position among the favourites, if the caller has set one: lower numbers first, rooms without a number last, by name.',
      aCount,
    ),
    unread_threads: described(
      'The threads of the room that the caller follows and that have unread replies; only in the list.',
      aCount,
    ),
    others: described('The other members of a direct conversation, to show in place of a name.', listOf(shownOtherUser.schema)),
  },
  [
    'name',
    'avatar',
    'is_bot',
    'status',
    'room_name',
    'room_avatar',
    'room_is_open',
    'seq',
    'last_read',
    'unread',
    'unread_mentions',
    'is_muted',
    'notify_of',
    'is_favourite',
    'favourite_order',
    'unread_threads',
    'others',
  ],
);
export type Member = Shown<typeof memberSchema>;

/** A former member, without a role or a time of joining. */
export const formerMemberSchema = record(
  'FormerMember',
  {
    _id: described('The id of the former membership.', idSchema),
    ...ofWhom,
    ...personFields,
    role: described('Null, because the membership ended.', aNull),
    joined_at: described('Null, because the membership ended.', aNull),
  },
  ['name', 'avatar', 'is_bot'],
);

/** A room as its members see it. */
type OwnRoom = Pick<RoomDocument, '_id' | 'name' | 'seq'> & Counters;

/** A member as others see it. */
export const showMember = (room: ObjectId, member: MemberDocument, person: Partial<StatedPerson> | undefined): Member => ({
  _id: showId(member._id),
  room: showId(room),
  user: showId(member.user),
  ...showStated(person),
  role: member.role,
  joined_at: showDate(member.joined_at),
});

/** A member as the member sees it. */
export const showOwnMember = (room: OwnRoom, member: MemberDocument, person: StatedPerson, reading: ReadState): Member => ({
  ...showMember(room._id, member, person),
  room_name: room.name,
  seq: room.seq,
  last_read: reading.seq,
  unread: unreadOf(room, reading),
  unread_mentions: reading.mentions,
  is_muted: reading.isMuted,
  notify_of: reading.notifyOf ?? null,
  is_favourite: reading.isFavourite,
  ...(reading.favouriteOrder !== undefined && { favourite_order: reading.favouriteOrder }),
});

export const listRefusals = [...refusalsOf('read'), noSuchRoom, historyReplaced];

/**
 * A page of a room's members, for members. Without `q` it is ordered by id; with `q`, names that
 * begin with it come first.
 */
export async function listMembers(
  room: ObjectId,
  { q, ...page }: Page & { q?: string | undefined },
  caller: Caller,
): Promise<ListPage<Member>> {
  const seen = await findReadableRoom(room, caller);
  const [rows, marker] = await Promise.all([
    q === undefined ? readPage(room, page) : findNamed(room, q, page),
    findMarker(room, caller.user._id),
  ]);
  const [reading, persons] = await Promise.all([
    readingOf(seen, caller.user._id, marker),
    hideStatuses(new Map(rows.map(({ member, users: [user] }) => [member.user.toHexString(), user])), caller),
  ]);
  const show = ({ member }: MemberRow) =>
    member.user.equals(caller.user._id)
      ? showOwnMember(seen, member, caller.user, reading)
      : showMember(room, member, persons.get(member.user.toHexString()));
  const cursorOf = ({ member }: MemberRow) => (q === undefined ? member._id : member.user).toHexString();
  return pageOf(rows, page.limit, show, cursorOf);
}

/**
 * The members whose names contain `q`, after a user who may have left in the meantime. Returns one
 * more than a page has.
 */
async function findNamed(room: ObjectId, q: string, { after, limit }: Page): Promise<MemberRow[]> {
  const found = await rooms.findOne<{ members: MemberDocument[] }>({ _id: room }, { projection: { members: 1 } });
  const members = found?.members ?? [];
  const persons = await findPersons([...members.map(({ user }) => user), ...(after ? [after] : [])]);
  const compare = comparePersons(q);
  const last = after && (persons.get(after.toHexString()) ?? { username: '' });
  return members
    .flatMap((member) => {
      const person = persons.get(member.user.toHexString());
      const isFound = person && (!last || compare(person, last) > 0) && matchesPerson(person, q);
      return isFound ? [{ member, users: [person] as [StatedPerson] }] : [];
    })
    .sort(({ users: [one] }, { users: [other] }) => compare(one, other))
    .slice(0, limit + 1);
}

/** The member, if the caller is in the same room; otherwise 404. */
export async function findMember(member: ObjectId, caller: Caller): Promise<Member> {
  return showTarget(requireTarget(await findContextOfMember(member, caller)), caller);
}

/** The target of a context as the caller may see it. */
export async function showTarget(
  context: TargetContext & { target: MemberDocument },
  caller: Caller,
  reading?: ReadState,
): Promise<Member> {
  const { target, targetPerson } = context;
  if (!target.user.equals(caller.user._id)) {
    const persons = await hideStatuses(new Map([[target.user.toHexString(), targetPerson]]), caller);
    return showMember(context._id, target, persons.get(target.user.toHexString()));
  }
  return showOwnMember(context, target, caller.user, reading ?? (await findReading(context, caller.user._id)));
}

type MemberRow = { member: MemberDocument; users: StatedPerson[] };

// The database sorts and cuts the list, so that only one page of a thousand members is sent, each
// with its name.
const readPage = (room: ObjectId, { after, limit }: Page) =>
  rooms
    .aggregate<MemberRow>(
      { _id: room },
      [
        { $unwind: '$members' },
        ...(after ? [{ $match: { 'members._id': { $gt: after } } }] : []),
        { $sort: { 'members._id': 1 } },
        { $limit: limit + 1 },
        { $lookup: { from: 'users', localField: 'members.user', foreignField: '_id', as: 'users' } },
        { $project: { member: '$members', ...personReads('users.') } },
      ],
      { batchSize: withOneMore(limit).batchSize },
    )
    .toArray();
