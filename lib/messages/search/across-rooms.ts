import { type Filter, ObjectId } from 'mongodb';
import type { Parameter } from '../../api/parameters.ts';
import type { Caller } from '../../identity/caller.ts';
import { findReadable } from '../../rooms/conversations.ts';
import { type AuthoredMessage, type Message, showTogether } from '../messages.ts';
import { fitting, weightOf } from '../page-size.ts';

/** So many entries are looked at for a page: those that the caller may not read count, too. */
const mostLookedAt = 1_000;

/** How many are read at a time: the default page and one more, as their sizes are not known. */
const chunkSize = 51;

/** A place in a list that is ordered by time: a moment, and what comes at it. */
export type Moment = { at: Date; id: ObjectId };

export const momentCursor: Parameter<Moment> = {
  read: (sent) => {
    const [, at, id] = typeof sent === 'string' ? (/^(\d{1,15})-([0-9a-f]{24})$/.exec(sent) ?? []) : [];
    return id === undefined ? undefined : { at: new Date(Number(at)), id: new ObjectId(id) };
  },
  rule: "be a cursor from the list's Link header",
  schema: { type: 'string', pattern: '^\\d{1,15}-[0-9a-f]{24}$' },
};

/** A place as `momentCursor` reads it. */
export const writeMoment = ({ at, id }: Moment): string => `${at.getTime()}-${id.toHexString()}`;

/**
 * What comes after a place, by the names of its fields, the latest first unless it `isAscending`. The bound is for the
 * index; the rest tells those of one moment apart.
 */
export function comingAfter<T>(time: string, idField: string, { at, id }: Moment, isAscending = false): Filter<T> {
  const [bound, beyond] = isAscending ? ['$gte', '$gt'] : ['$lte', '$lt'];
  return { [time]: { [bound]: at }, $or: [{ [time]: { [beyond]: at } }, { [idField]: { [beyond]: id } }] } as Filter<T>;
}

/** One entry of a list of messages across rooms: its place in the list, and the message unless it is gone. */
type Entry<Place> = { place: Place; message: AuthoredMessage | undefined };

/** A page of such a list, and the place after which the next page begins. */
type PageAcross<Place> = { shown: { place: Place; message: Message }[]; next: Place | undefined };

/**
 * Reads a page of a list that goes across rooms: of its entries those whose room the caller may read. Only a bounded
 * part of the list is looked at, so that a page may be short and have a next one.
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

/** A part of a list: what is kept of it, its last place, and whether it is the last part. */
type Chunk<Place, Item> = { kept: Item[]; last: Place | undefined; isEnd: boolean };

/**
 * Reads so much of a list that what is kept of it is a page, or until enough was looked at. Returns the page, and the
 * place after which the next one begins.
 */
export async function readInChunks<Place, Item extends { place: Place }>(
  find: (after: Place | undefined, count: number) => Promise<Chunk<Place, Item>>,
  after: Place | undefined,
  limit: number,
  weigh: (item: Item) => number,
): Promise<{ page: Item[]; next: Place | undefined }> {
  // A page that is small may be all that is wanted; what is not kept of it is passed by in larger steps.
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
