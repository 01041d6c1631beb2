import { ObjectId } from 'mongodb';
import { optional, type Parameter, requireAtMostOne } from '../api/parameters.ts';
import { rooms } from '../collections/rooms.ts';
import { invalidParameter, missingParameter } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { notBlocked } from '../rooms/conversations.ts';
import { type Bounds, findMatching, type HistoryQuery, readHistory, type Scored, searchInTurn } from './history.ts';
import { type AuthoredMessage, showAuthored } from './messages.ts';
import type { HistoryPage } from './newest-pages.ts';
import { fitting, weightOf } from './page-size.ts';
import { countReplies } from './replies.ts';

/** A place among the messages of several rooms: the newest come first, of one moment those of a room with a greater id. */
type SearchCursor = { at: Date; room: ObjectId; seq: number };

const searchCursor: Parameter<SearchCursor> = {
  read: (sent) => {
    const [, at, room, seq] = typeof sent === 'string' ? (/^(\d{1,15})-([0-9a-f]{24})-(\d{1,15})$/.exec(sent) ?? []) : [];
    return room === undefined ? undefined : { at: new Date(Number(at)), room: new ObjectId(room), seq: Number(seq) };
  },
  rule: "be a cursor from this list's Link header",
  schema: { type: 'string', pattern: '^\\d{1,15}-[0-9a-f]{24}-\\d{1,15}$' },
};

/** Where a search of all rooms goes on. */
export const searchParameters = { cursor: optional(searchCursor) };

/** What is wanted, in one room or in all. */
type SearchQuery = HistoryQuery & { room?: ObjectId | undefined; cursor?: SearchCursor | undefined };

/** Reads a page of a room's history or, where no room is given, of what a search finds in all rooms of the caller. */
export function readMessages({ room, cursor, ...query }: SearchQuery, limit: number, caller: Caller): Promise<HistoryPage> {
  if (!room) return searchInTurn(caller, () => searchMyRooms(query, cursor, limit, caller));
  requireAtMostOne(['room', 'cursor'], { room, cursor });
  return readHistory(room, query, limit, caller);
}

/**
 * Searches all rooms of the caller, of many those in which something was said last. What is on a page depends on the time alone, as in one
 * room; it comes best match first.
 *
 * The rooms are asked in the order of their last messages, a few at a time, each for its newest matches. When a page is full and a room's last
 * message is older than all that is on it, neither that room nor those after it have anything to add.
 */
async function searchMyRooms(
  { q, ...others }: HistoryQuery,
  cursor: SearchCursor | undefined,
  limit: number,
  caller: Caller,
): Promise<HistoryPage> {
  if (q === undefined) throw missingParameter('room');
  const [roomOnly] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (roomOnly) throw invalidParameter(roomOnly, "not be used without 'room'");

  const mine = await findMyRooms(caller);
  let found: Scored[] = [];
  // Behind the last match of a room that has more, nothing of the others is shown: that room's next may come before it.
  const ends: Scored[] = [];
  const pageSoFar = () =>
    fitting(found.filter((one) => ends.every((end) => newestFirst(one, end) <= 0)).slice(0, limit), weightOf);
  for (let at = 0; at < mine.length; at += roomsAtOnce) {
    const asked = mine.slice(at, at + roomsAtOnce);
    const [{ last_message_at: youngest }] = asked as [MyRoom];
    const page = pageSoFar();
    const oldest = page.at(-1);
    if (oldest && page.length < found.length && oldest.created_at > youngest) break;
    const matches = await Promise.all(
      asked.map(({ _id: room }) => {
        const { seq = {}, ...place } = after(cursor, room);
        return findMatching({ room, $text: { $search: q }, ...place }, seq, -1, limit);
      }),
    );
    ends.push(...matches.flatMap(({ found, hasMore }) => (hasMore ? found.slice(-1) : [])));
    found = [...found, ...matches.flatMap(({ found }) => found)].sort(newestFirst).slice(0, limit + 1);
  }

  const page = pageSoFar();
  const last = page.at(-1);
  const next = last && (page.length < found.length || ends.length > 0) ? cursorOf(last) : undefined;
  return { messages: await show(page.sort(byScore)), next: next === undefined ? undefined : { cursor: next } };
}

type MyRoom = { _id: ObjectId; last_message_at: Date };

const mostRooms = 200;
const roomsAtOnce = 5;

const findMyRooms = (caller: Caller): Promise<MyRoom[]> =>
  rooms
    .find<MyRoom>(
      { 'members.user': caller.user._id, ...notBlocked(caller), last_message_at: { $ne: null } },
      { projection: { last_message_at: 1 }, sort: { last_message_at: -1 }, limit: mostRooms, batchSize: mostRooms + 1 },
    )
    .toArray();

/** What of a room comes after a place, in the order of `newestFirst`. */
function after(cursor: SearchCursor | undefined, room: ObjectId): { seq?: Bounds; created_at?: object } {
  if (!cursor) return {};
  const order = compareIds(room, cursor.room);
  if (order === 0) return { seq: { $lt: cursor.seq } };
  return { created_at: order < 0 ? { $lte: cursor.at } : { $lt: cursor.at } };
}

const cursorOf = ({ created_at, room, seq }: AuthoredMessage) => `${created_at.getTime()}-${room.toHexString()}-${seq}`;

const newestFirst = (one: AuthoredMessage, other: AuthoredMessage) =>
  other.created_at.getTime() - one.created_at.getTime() || compareIds(other.room, one.room) || other.seq - one.seq;

const compareIds = (one: ObjectId, other: ObjectId) => Buffer.compare(one.id, other.id);

const byScore = (one: Scored, other: Scored) => (other.score ?? 0) - (one.score ?? 0) || newestFirst(one, other);

/** Shows messages of several rooms in the order in which they are given. */
async function show(found: AuthoredMessage[]) {
  const byRoom = Map.groupBy(found, ({ room }) => room.toHexString());
  const counted = await Promise.all(
    [...byRoom.values()].map((ofRoom) => countReplies((ofRoom[0] as AuthoredMessage).room, ofRoom)),
  );
  const replies = new Map(counted.flatMap((counts) => [...counts]));
  return found.map((message) => showAuthored(message, replies));
}
