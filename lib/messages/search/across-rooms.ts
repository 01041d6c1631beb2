import { type Filter, ObjectId } from 'mongodb';
import type { Parameter } from '../../api/parameters.ts';
import type { Caller } from '../../identity/caller.ts';
import { findReadable } from '../../rooms/conversations.ts';
import { type AuthoredMessage, type Message, showTogether } from '../messages.ts';
import { fitting, weightOf } from '../page-size.ts';

/** The most entries that are read for a page, including those that the caller may not read. */
const mostLookedAt = 1_000;

/** The number of entries per read: the default page and one more, as their sizes are unknown. */
const chunkSize = 51;

/** A cursor of a list that is ordered by time: a time, and the id of the entry at that time. */
export type Moment = { at: Date; id: ObjectId };

export const momentCursor: Parameter<Moment> = {
  read: (sent) => {
    const [, at, id] = typeof sent === 'string' ? (/^(\d{1,15})-([0-9a-f]{24})$/.exec(sent) ?? []) : [];
    return id === undefined ? undefined : { at: new Date(Number(at)), id: new ObjectId(id) };
  },
  rule: "be a cursor from the list's Link header",
  schema: { type: 'string', pattern: '^\\d{1,15}-[0-9a-f]{24}$' },
};

/** Formats a cursor, which `momentCursor` parses. */
export const writeMoment = ({ at, id }: Moment): string => `${at.getTime()}-${id.toHexString()}`;

/**
 * The condition for entries after a cursor, the latest first unless `isAscending` is set. The first
 * bound lets the index be used; the rest orders entries of the same time.
 */
export function comingAfter<T>(time: string, idField: string, { at, id }: Moment, isAscending = false): Filter<T> {
  const [bound, beyond] = isAscending ? ['$gte', '$gt'] : ['$lte', '$lt'];
  return { [time]: { [bound]: at }, $or: [{ [time]: { [beyond]: at } }, { [idField]: { [beyond]: id } }] } as Filter<T>;
}

/**
 * An entry of a list of messages across rooms: its cursor, and its message unless that was deleted.
 */
type Entry<Place> = { place: Place; message: AuthoredMessage | undefined };

/** A page of such a list, and the cursor of the next page. */
type PageAcross<Place> = { shown: { place: Place; message: Message }[]; next: Place | undefined };

/**
 * Reads a page of a list across rooms. It contains only entries whose rooms the caller may read.
 * Only a bounded part of the list is read, so a page may be short and still have a next one.
 */
export async function readAcross<Place>(
  find: (after: Place | undefined, count: number) => Promise<Entry<Place>[]>,
  after: Place | undefined,
  limit: number,
  caller: Caller,
): Promise<PageAcross<Place>> {
  const findSome = async (last: Place | undefined, count: number) => {
    const chunk = await find(last, count);
    const existing = chunk.flatMap(({ place, message }) => (message ? [{ place, message }] : []));
    const readable = await findReadable(
      existing.map(({ message }) => message.room),
      caller,
    );
    const kept = existing.filter(({ message }) => readable.has(message.room.toHexString()));
    return { kept, last: chunk.at(-1)?.place, isEnd: chunk.length < count };
  };
  const { page, next } = await readInChunks(findSome, after, limit, ({ message }) => weightOf(message));
  const messages = await showTogether(page.map(({ message }) => message));
  return { shown: page.map(({ place }, at) => ({ place, message: messages[at] as Message })), next };
}

/**
 * A part of a list: the items that the page keeps, the last place, and whether it is the last part.
 */
type Chunk<Place, Item> = { kept: Item[]; last: Place | undefined; isEnd: boolean };

/**
 * Reads a list until the kept items fill a page, or enough entries were read. Returns the page and
 * the cursor of the next one.
 */
export async function readInChunks<Place, Item extends { place: Place }>(
  find: (after: Place | undefined, count: number) => Promise<Chunk<Place, Item>>,
  after: Place | undefined,
  limit: number,
  weigh: (item: Item) => number,
): Promise<{ page: Item[]; next: Place | undefined }> {
  // A small page may be all that the caller needs. If entries are skipped, the following reads are
  // larger.
  let size = Math.min(limit + 1, chunkSize);
  const found: Item[] = [];
  let last = after;
  for (let lookedAt = size; ; lookedAt += size) {
    const chunk = await find(last, size);
    found.push(...chunk.kept);
    last = chunk.last ?? last;
    const page = fitting(found.slice(0, limit), weigh);
    const isFull = page.length < found.length;
    if (!isFull && !chunk.isEnd && lookedAt < mostLookedAt) {
      size = chunkSize;
      continue;
    }
    return { page, next: isFull ? page.at(-1)?.place : chunk.isEnd ? undefined : last };
  }
}
