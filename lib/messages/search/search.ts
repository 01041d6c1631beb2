import { mostWords, readQuery } from 'chat-service-rules/words/query';
import { ObjectId } from 'mongodb';
import { about, dateTime, oneOf, optional, type Parameter, requireAtMostOne, type Values } from '../../api/parameters.ts';
import { invalidParameter, missingParameter } from '../../base/errors.ts';
import { oneAtATime } from '../../base/turns.ts';
import { rooms } from '../../collections/rooms/rooms.ts';
import type { Caller } from '../../identity/caller.ts';
import { notBlocked } from '../../rooms/conversations.ts';
import { findRoomToRead } from '../../rooms/permissions.ts';
import { type HistoryQuery, readHistory } from '../history.ts';
import { findInOrder, showTogether } from '../messages.ts';
import type { HistoryPage } from '../newest-pages.ts';
import { fitting } from '../page-size.ts';
import { findSeqAt } from '../time.ts';
import {
  findMatches,
  type Match,
  type Matches,
  type MatchQuery,
  newestFirst,
  type Place,
  readPlace,
  type SearchedRoom,
  searchedKinds,
  showPlace,
} from './find-matches.ts';
import { readMyMentions } from './my-mentions.ts';

// Pasted text has line breaks and tabs.
const control = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';

/** Words to search for. */
const words: Parameter<string> = {
  read: (sent) =>
    typeof sent === 'string' && new RegExp(`^[^${control}\\p{Cs}]{1,2000}$`, 'u').test(sent) && /\S/.test(sent)
      ? sent
      : undefined,
  about:
    'Return only messages with all of these words, or with words that begin with them. Quotation marks ask for words next to each other, a hyphen before a word excludes it. Text without spaces, such as an address, is found as it is. Case and accents do not matter. The first ten words count.',
  rule: 'have 1 to 2000 characters, none of them control characters, and not be blank',
  schema: { type: 'string', maxLength: 2000, pattern: `^[^${control}]*[^${control}\\s][^${control}]*$` },
};

/**
 * Where a search continues: after a place. If the best matches come first: between two places,
 * after the match with a score and a place.
 */
type SearchCursor = { after: Place; within?: { end: Place; score: number; last: Place } };

const place = '\\d{1,15}-[0-9a-f]{24}-\\d{1,15}';
const searchCursor: Parameter<SearchCursor> = {
  read: (sent) => {
    const [start = '', end = '', score = '', last = ''] = typeof sent === 'string' ? sent.split('.') : [];
    const [after, bottom, at] = [start, end, last].map(readPlace);
    if (!after || !searchCursorPattern.test(String(sent))) return undefined;
    return bottom && at ? { after, within: { end: bottom, score: Number(score), last: at } } : { after };
  },
  about:
    'Continue a search, or the mentions in all rooms, after this cursor. `Link` holds the URL of the next page. A page may have fewer messages than its limit, or none, and still have a next page.',
  rule: "be a cursor from this list's Link header",
  schema: { type: 'string', pattern: `^${place}(\\.${place}\\.\\d{1,9}\\.${place})?$` },
};
const searchCursorPattern = new RegExp(searchCursor.schema.pattern as string);

/** The search, the order of its matches, and its cursor. */
export const searchParameters = {
  q: optional(words),
  order: about(
    'The order of the matches: best first, or newest first. Without it, each page has the next newest matches, with the best of them first.',
    optional(oneOf('best', 'newest')),
  ),
  since: about('Return only messages from this time on; with `q`.', optional(dateTime)),
  until: about('Return only messages before this time; with `q`.', optional(dateTime)),
  has: about('Return only messages with a file, a picture or a link; with `q`.', optional(oneOf(...searchedKinds))),
  cursor: optional(searchCursor),
};
type SearchQuery = Values<typeof searchParameters>;

/** The wanted matches, in one room or in all. */
type SearchRequest = HistoryQuery & SearchQuery & { room?: ObjectId | undefined };

/** A page of a search says how many of its words do not count. */
type FoundPage = HistoryPage & { ignoredWords?: number };

/** The header that says how many words of a search did not count. */
export const ignoredWordsHeader = {
  type: 'string',
  pattern: '^\\d{1,4}$',
  description: `The number of words of \`q\` after the first ${mostWords}, which are ignored; present only with \`q\`.`,
};

/**
 * Reads a page of a room's history, of a search in one or all of the caller's rooms, or of all
 * mentions of the caller.
 */
export async function readMessages(
  { room, q, order, since, until, has, cursor, ...history }: SearchRequest,
  limit: number,
  caller: Caller,
): Promise<FoundPage> {
  if (q !== undefined)
    return inTurn(caller.user._id.toHexString(), () =>
      search({ room, q, order, since, until, has, cursor, ...history }, limit, caller),
    );
  const { mentions, ...ofRoom } = history;
  const isMentions = room === undefined && mentions !== undefined;
  if (!room && !isMentions) throw missingParameter('room');
  const searchOnly = namedIn({ order, since, until, has, ...(!isMentions && { cursor }) });
  if (searchOnly) throw invalidParameter(searchOnly, "not be used without 'q'");
  if (!room) {
    const roomOnly = namedIn(ofRoom);
    if (roomOnly) throw invalidParameter(roomOnly, "not be used without 'room'");
    return readMyMentions(cursor?.after, limit, caller);
  }
  return readHistory(room, history, limit, caller);
}

/** The first of some parameters that has a value. */
const namedIn = (parameters: Record<string, unknown>): string | undefined =>
  Object.keys(parameters).find((name) => parameters[name] !== undefined);

// Each user has one search at a time and one that waits: nothing else takes as long.
const inTurn = oneAtATime(1);

const notSearched = ['thread', 'pinned', 'mentions', 'after', 'around', 'at'] as const;

/** Searches a room or all of the caller's rooms; of many, those with the latest messages. */
async function search(wanted: SearchRequest & { q: string }, limit: number, caller: Caller): Promise<FoundPage> {
  const { room, q, order, user, since, until, has, before, cursor } = wanted;
  const roomOnly = room ? undefined : (['before', ...notSearched] as const).find((name) => wanted[name] !== undefined);
  if (roomOnly) throw invalidParameter(roomOnly, "not be used without 'room'");
  requireAtMostOne([...notSearched, 'q'], wanted);
  requireAtMostOne(['before', 'cursor'], wanted);

  const query = readQuery(q);
  const searched = room ? [await findSearchedRoom(room, { since, until, before }, caller)] : await findMyRooms(caller, since);
  const isSearch = query.terms.some(({ isExcluded }) => !isExcluded);
  const sought = { query, user, since, until, has };
  const { found, next } = !isSearch
    ? { found: [], next: undefined }
    : order === 'best'
      ? await findBest(searched, sought, cursor, limit)
      : await findNewest(searched, sought, cursor, limit);
  const ordered = order === 'newest' ? found : found.sort(bestFirst);
  return {
    messages: await showTogether(await findInOrder(ordered.map(({ _id }) => _id))),
    next: next === undefined ? undefined : { cursor: next },
    ignoredWords: query.ignored,
  };
}

/** The matches on a page, and the cursor of the next one. */
type MatchPage = { found: Match[]; next: string | undefined };

async function findNewest(
  searched: SearchedRoom[],
  sought: MatchQuery,
  cursor: SearchCursor | undefined,
  limit: number,
): Promise<MatchPage> {
  const { found, end } = await findMatches(searched, sought, cursor?.after, limit);
  const page = fitting(found, ({ weight }) => weight);
  const next = page.length < found.length ? page.at(-1) : end;
  return { found: page, next: next && showPlace(next) };
}

/** The most matches that are ranked together. */
const mostRanked = 500;

/**
 * Finds the best matches among the newest, then among those before. The cursor has the limits of
 * that group, so that new messages cannot move a match to a page that was already read.
 */
async function findBest(
  searched: SearchedRoom[],
  sought: MatchQuery,
  cursor: SearchCursor | undefined,
  limit: number,
): Promise<MatchPage> {
  const within = cursor?.within;
  const { found, end } = within
    ? await findBetween(searched, sought, cursor.after, within.end)
    : await findMatches(searched, sought, cursor?.after, mostRanked);
  const ranked = found
    .sort(bestFirst)
    .filter((match) => !within || bestFirst(match, { ...within.last, score: within.score }) > 0);
  const page = fitting(ranked.slice(0, limit), ({ weight }) => weight);
  const last = page.at(-1);
  if (!last || page.length === ranked.length) return { found: page, next: end && showPlace(end) };
  const parts = [showPlace(cursor?.after ?? top), showPlace(end ?? bottom), last.score, showPlace(last)];
  return { found: page, next: parts.join('.') };
}

/** All matches between two places: those that were put in order for an earlier page. */
async function findBetween(searched: SearchedRoom[], sought: MatchQuery, after: Place, last: Place): Promise<Matches> {
  const all: Match[] = [];
  for (let from: Place | undefined = after; from && newestFirst(from, last) < 0; ) {
    const { found, end }: Matches = await findMatches(searched, sought, from, mostRanked);
    all.push(...found.filter((match) => newestFirst(match, last) <= 0));
    from = end;
  }
  return { found: all, end: newestFirst(last, bottom) === 0 ? undefined : last };
}

const bestFirst = (one: Place & { score: number }, other: Place & { score: number }) =>
  other.score - one.score || newestFirst(one, other);

const top: Place = { created_at: new Date(999_999_999_999_999), room: new ObjectId('f'.repeat(24)), seq: 999_999_999_999_999 };
const bottom: Place = { created_at: new Date(0), room: new ObjectId('0'.repeat(24)), seq: 0 };

async function findSearchedRoom(
  room: ObjectId,
  { since, until, before }: { since?: Date | undefined; until?: Date | undefined; before?: number | undefined },
  caller: Caller,
): Promise<SearchedRoom> {
  const context = await findRoomToRead(room, caller);
  const none = context.seq + 1;
  const [from, end = none] = await Promise.all([
    since && findSeqAt(context, since).then((seq = none) => seq),
    until && findSeqAt(context, until),
  ]);
  const last = until && (before === undefined ? end : Math.min(before, end));
  return { _id: room, last_message_at: new Date(), before: last ?? before, from };
}

const mostRooms = 200;

const findMyRooms = (caller: Caller, since: Date | undefined): Promise<SearchedRoom[]> =>
  rooms
    .find<SearchedRoom>(
      {
        'members.user': caller.user._id,
        ...notBlocked(caller),
        last_message_at: since ? { $gte: since } : { $ne: null },
      },
      { projection: { last_message_at: 1 }, sort: { last_message_at: -1 }, limit: mostRooms, batchSize: mostRooms + 1 },
    )
    .toArray();
