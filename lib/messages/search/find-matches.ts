import { type Query, scoreOf } from 'chat-service-rules/words/query';
import { type Filter, ObjectId } from 'mongodb';
import { type MessageDocument, messages } from '../../collections/rooms/messages.ts';
import { weightOf } from '../page-size.ts';
import { searchedText, searchFor } from './tokens.ts';

/**
 * A place among the messages of several rooms: the newest first; at the same time, the room with
 * the greater id.
 */
export type Place = { created_at: Date; room: ObjectId; seq: number };

/** A message that answers a search, and how well. */
export type Match = Place & { _id: ObjectId; score: number; weight: number };

/** Contents of a message besides its words. */
export const searchedKinds = ['file', 'picture', 'link'] as const;

/**
 * The search: the words, the author, the time of writing, and other contents of the message.
 */
export type MatchQuery = {
  query: Query;
  user?: ObjectId | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  has?: (typeof searchedKinds)[number] | undefined;
};

/** A room to look into, when something was said in it last, and between which places of its own. */
export type SearchedRoom = { _id: ObjectId; last_message_at: Date; before?: number | undefined; from?: number | undefined };

/** The newest matches, and the place after which there may be more. */
export type Matches = { found: Match[]; end: Place | undefined };

export const newestFirst = (one: Place, other: Place): number =>
  other.created_at.getTime() - one.created_at.getTime() || compareIds(other.room, one.room) || other.seq - one.seq;

const compareIds = (one: ObjectId, other: ObjectId) => Buffer.compare(one.id, other.id);

const roomsAtOnce = 5;

/**
 * The most messages that a search examines for a page. Each room gets its first chunk in any case,
 * so that every page makes progress.
 */
const mostLookedAt = 2_000;
const mostBytesLookedAt = 4 * 1024 * 1024;
const firstChunk = 64;
const largestChunk = 512;

/** How much a search may still look at. */
type Budget = { messages: number; bytes: number };

/**
 * Finds the newest matches after a place. `rooms` are in the order of their last messages. A few
 * rooms at a time are searched for their newest matches. The search ends when it has enough matches
 * and the next room's last message is older than all of them. The work is bounded, so there may be
 * fewer matches than wanted, and more after `end`.
 */
export async function findMatches(
  rooms: SearchedRoom[],
  sought: MatchQuery,
  after: Place | undefined,
  wanted: number,
): Promise<Matches> {
  const budget = { messages: mostLookedAt, bytes: mostBytesLookedAt };
  let found: Match[] = [];
  let end: Place | undefined;
  for (let at = 0; at < rooms.length; at += roomsAtOnce) {
    const asked = rooms.slice(at, at + roomsAtOnce);
    const last = found[wanted - 1];
    if (last && last.created_at > (asked[0] as SearchedRoom).last_message_at) {
      end = newest(end, last);
      break;
    }
    const results = await Promise.all(asked.map((room) => findInRoom(room, sought, after, wanted, budget)));
    for (const result of results) end = newest(end, result.end);
    found = [...found, ...results.flatMap(({ found }) => found)].sort(newestFirst).slice(0, wanted + 1);
  }
  // One room may have more matches after `end`. Matches of other rooms after it are left out,
  // because they may belong behind those.
  const certain = found.filter((one) => !end || newestFirst(one, end) <= 0);
  return certain.length > wanted ? { found: certain.slice(0, wanted), end: certain[wanted - 1] } : { found: certain, end };
}

const newest = (one: Place | undefined, other: Place | undefined) =>
  one && other ? (newestFirst(one, other) <= 0 ? one : other) : (one ?? other);

type Candidate = Pick<MessageDocument, '_id' | 'room' | 'seq' | 'created_at' | 'text' | 'files' | 'mentions' | 'reactions'>;
const candidateFields = { room: 1, seq: 1, created_at: 1, text: 1, files: 1, mentions: 1, reactions: 1 };

async function findInRoom(
  room: SearchedRoom,
  sought: MatchQuery,
  after: Place | undefined,
  wanted: number,
  budget: Budget,
): Promise<Matches> {
  const filter = candidatesOf(room, sought, after);
  const found: Match[] = [];
  let last: Candidate | undefined;
  for (let size = firstChunk; ; size = Math.min(2 * size, largestChunk)) {
    const before = last && { seq: { ...(filter.seq as object), $lt: last.seq } };
    const chunk = await messages
      .find<Candidate>(
        { ...filter, ...before },
        { projection: candidateFields, sort: { seq: -1 }, limit: size, batchSize: size + 1 },
      )
      .toArray();
    for (const candidate of chunk) {
      budget.messages--;
      const text = searchedText(candidate);
      budget.bytes -= text.length;
      last = candidate;
      const score = hasKind(candidate, sought.has) ? scoreOf(sought.query, text) : undefined;
      if (score !== undefined) found.push(matchOf(candidate, score));
      if (found.length > wanted) return { found: found.slice(0, wanted), end: found[wanted - 1] };
      if (budget.bytes <= 0) return { found, end: candidate };
    }
    if (chunk.length < size) return { found, end: undefined };
    if (budget.messages <= 0) return { found, end: last };
  }
}

/** True if a message has the wanted kind of content: a file, a picture or a link. */
function hasKind({ files, text }: Candidate, kind: MatchQuery['has']): boolean {
  if (kind === 'link') return /https?:\/\/\S/i.test(text);
  if (kind === 'picture') return (files ?? []).some(({ type }) => type.startsWith('image/'));
  return kind === undefined || (files ?? []).length > 0;
}

const matchOf = (candidate: Candidate, score: number): Match => {
  const { _id, room, seq, created_at } = candidate;
  return { _id, room, seq, created_at, score, weight: weightOf(candidate) };
};

/** The messages of a room that may match, after a place. */
function candidatesOf(
  { _id: room, before, from }: SearchedRoom,
  { query, user, since, until }: MatchQuery,
  after: Place | undefined,
): Filter<MessageDocument> {
  const search = searchFor(query, user);
  const seq = { ...(from !== undefined && { $gte: from }), ...(before !== undefined && { $lt: before }) };
  const created_at: { $gte?: Date; $lt?: Date; $lte?: Date } = { ...(since && { $gte: since }), ...(until && { $lt: until }) };
  const order = after && compareIds(room, after.room);
  if (after && order === 0) seq.$lt = Math.min(after.seq, seq.$lt ?? after.seq);
  else if (after && order) created_at[order < 0 ? '$lte' : '$lt'] = after.created_at;
  return {
    room,
    ...(search !== undefined && { $text: { $search: search } }),
    ...(user && { user }),
    ...(Object.keys(seq).length > 0 && { seq }),
    ...(Object.keys(created_at).length > 0 && { created_at }),
  };
}

/** Reads a place of what `showPlace` makes of one; undefined for what it can't have made. */
export function readPlace(shown: string): Place | undefined {
  const [, at, room, seq] = /^(\d{1,15})-([0-9a-f]{24})-(\d{1,15})$/.exec(shown) ?? [];
  return room === undefined ? undefined : { created_at: new Date(Number(at)), room: new ObjectId(room), seq: Number(seq) };
}

/** A place in the form for a cursor. */
export const showPlace = ({ created_at, room, seq }: Place): string => `${created_at.getTime()}-${room.toHexString()}-${seq}`;
