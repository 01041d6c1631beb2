import { type Document, ObjectId } from 'mongodb';
import { distinct, showId } from '../api/extended-json.ts';
import { limits } from '../api/limits.ts';
import { type Page, pageOf, withOneMore } from '../api/pages.ts';
import type { Parameter } from '../api/parameters.ts';
import { Written } from '../api/written.ts';
import { messages } from '../collections/messages.ts';
import { readMarkers } from '../collections/read-markers.ts';
import { rooms } from '../collections/rooms.ts';
import { isOnLambda } from '../config.ts';
import { epochPattern } from '../database/epoch.ts';
import { stateOf } from '../database/within-process.ts';
import { invalidParameter } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { deletedUsername, findUsernames, type OtherUser, type Usernames } from '../identity/users.ts';
import { Recent } from '../recent.ts';
import { notBlocked, peopleOf } from '../rooms/conversations.ts';
import { findReadings, isSameReading, type Reading } from '../rooms/read-markers.ts';
import { type Stamp, stampFields } from '../rooms/stamps.ts';
import { keepRooms, knownRooms, type MyRoom, myRoomFields, roomsOf } from './known-rooms.ts';
import { type Member, showOwnMember } from './members.ts';

/**
 * A place in a list: after this member of a room or, with the time when something last happened in it, after this one
 * of someone's rooms.
 */
export type MemberCursor = { id: ObjectId; at: Date | undefined };

/** The cursor as it is sent. With its time it stays valid although its room may be active again, left or deleted meanwhile. */
export const memberCursor: Parameter<MemberCursor> = {
  read: (sent) => {
    const [, at, id] = typeof sent === 'string' ? (/^(?:(\d{1,15})-)?([0-9a-fA-F]{24})$/.exec(sent) ?? []) : [];
    return id === undefined ? undefined : { id: new ObjectId(id), at: at ? new Date(Number(at)) : undefined };
  },
  rule: "be a member's id or a cursor from the list's Link header",
  schema: { type: 'string', pattern: '^(\\d{1,15}-)?[0-9a-fA-F]{24}$' },
};

/** The header that says since when to ask the next time for the rooms that moved. */
export const sinceHeader = {
  type: 'string',
  pattern: `^${epochPattern}\\.\\d+$`,
  description:
    'The cursor to send as `since` to get the rooms with activity from now on. Of several pages, use that of the first.',
};

/** The page of the caller's memberships that is asked for: of those rooms in which something happened `since` a time. */
type MyRoomsPage = Page<MemberCursor> & { since?: Date | undefined };

/** The JSON of memberships, and the cursor after them if there are more. */
type Listed = { items: Written<Member[]>; next: { after: string } | undefined };

/** A first page as it was read last: whose and how long, and the state of all that it is made of before that. */
type Known = { listed: Listed; user: Caller['user']; limit: number; state: number };

/** By the ids of users: so many pages, and so many characters of JSON. */
const firstPages = new Recent<Known>(1_000, 2 * 1024 * 1024, ({ listed: { items } }) => items.json.length);

/** A page of the caller's memberships, those in the most recently active rooms first, and since when to ask the next time. */
export async function listMyRooms(page: MyRoomsPage, caller: Caller) {
  const { limit, after, since } = page;
  if (after && !after.at) throw invalidParameter('after', "be a cursor from this list's Link header");
  const isFirst = !after && !since;
  const listed = await (isFirst ? listFirst(limit, caller) : list(page, caller, false));
  return { ...listed, nextSince: new Date(Math.max((caller.at?.getTime() ?? 0) - longestWrite, since?.getTime() ?? 0)) };
}

/**
 * The first page, which is known where nothing has changed. The caller's account is the same object only as long as
 * no account has.
 */
async function listFirst(limit: number, caller: Caller): Promise<Listed> {
  const { user } = caller;
  const key = user._id.toHexString();
  const state = stateOf(rooms.unscoped, messages.unscoped, readMarkers);
  const last = firstPages.get(key);
  if (last?.state === state && last.user === user && last.limit === limit) return last.listed;
  const listed = await list({ limit }, caller, true);
  firstPages.set(key, { listed, user, limit, state });
  return listed;
}

async function list(page: MyRoomsPage, caller: Caller, isFirst: boolean): Promise<Listed> {
  const { limit } = page;
  const { user } = caller;
  // A function on Lambda would need a call more where something has happened.
  const known = isFirst && !isOnLambda ? knownRooms(user._id) : undefined;
  const found = await readPage(page, caller, known ? stampFields : myRoomFields(user._id));
  const { items, next } = pageOf(found, limit, (room) => room, cursorOf);
  const all = known ? await roomsOf(items, known, user._id) : (items as MyRoom[]);
  const mine = all.filter((room) => room !== undefined);
  if (isFirst) keepRooms(user._id, mine);
  const people = mine.flatMap((room) => othersIn(room, user._id) ?? []);
  const [readings, usernames] = await Promise.all([findReadings(mine, user._id, isFirst), findUsernames(distinct(people))]);
  const shown = mine.map((room, at) => membershipJson(room, user, readings[at] as Reading, usernames));
  return {
    items: new Written<Member[]>(`[${shown.join()}]`),
    next: next === undefined ? undefined : { after: next },
  };
}

const cursorOf = ({ _id, changed_at }: Stamp): string => `${changed_at.getTime()}-${_id.toHexString()}`;

/**
 * The JSON of a membership as it was shown last, and what it was made of beside the room and the caller's name, which
 * stays the same.
 */
type Shown = { reading: Reading; names: string | undefined; json: string };
const shownLast = new WeakMap<MyRoom, Shown>();

function membershipJson(room: MyRoom, user: Caller['user'], reading: Reading, usernames: Usernames): string {
  const others = othersIn(room, user._id)?.map((other) => showOther(other, usernames));
  const names = others?.map(({ username }) => username).join();
  const last = shownLast.get(room);
  if (last && last.names === names && isSameReading(last.reading, reading)) return last.json;
  const shown: Member = { ...showOwnMember(room, room.members[0], user.username, reading), ...(others && { others }) };
  const json = JSON.stringify(shown);
  shownLast.set(room, { reading, names, json });
  return json;
}

// A change has the time at which its update began. One that was made within so many milliseconds may not have been
// there to be read.
const longestWrite = limits.requestTime;

const showOther = (id: ObjectId, usernames: Usernames): OtherUser => ({
  _id: showId(id),
  username: usernames.get(id.toHexString()) ?? deletedUsername,
});

/** With whom a direct conversation is. */
const othersIn = ({ direct_key: people }: MyRoom, user: ObjectId): ObjectId[] | undefined =>
  people === undefined ? undefined : peopleOf(people).filter((one) => !one.equals(user));

const readPage = ({ limit, after, since }: MyRoomsPage, caller: Caller, projection: Document) =>
  rooms
    .find<Stamp>(
      {
        'members.user': caller.user._id,
        ...notBlocked(caller),
        ...(since && { changed_at: { $gte: since } }),
        ...(after?.at && { $or: [{ changed_at: { $lt: after.at } }, { changed_at: after.at, _id: { $gt: after.id } }] }),
      },
      { projection, sort: { changed_at: -1, _id: 1 }, ...withOneMore(limit) },
    )
    .toArray();
