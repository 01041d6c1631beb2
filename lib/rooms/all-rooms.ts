import type { ObjectId } from 'mongodb';
import { limits } from '../api/limits.ts';
import { type Page, pageOf, withOneMore } from '../api/pages.ts';
import { Written } from '../api/written.ts';
import { rooms } from '../collections/rooms.ts';
import { isOnLambda } from '../config.ts';
import { singleFlight } from '../database/batching.ts';
import { stateOf } from '../database/within-process.ts';
import { answerTooLarge } from '../errors.ts';
import { Recent } from '../recent.ts';
import { type Room, type ShownRoom, shownRoom } from './rooms.ts';
import { type Stamp, stampFields, upToDate } from './stamps.ts';

/*
 * The list of all rooms. Few ask for it, but as a whole, or page by page, again and again. A process keeps it as
 * pre-serialised JSON. It asks the database each time how far the rooms are, and reads those again that have moved
 * since. A database within the process need not be asked as long as no room has changed.
 */

/** A room's JSON, and when it was so. */
type Entry = Stamp & { json: string };

/**
 * A list or a page of it as it was made last: room by room, with one more than the page has, and the state of the
 * rooms before they were read.
 */
type Made = { entries: Entry[]; items: Written<Room[]>; next: { after: string } | undefined; state: number };

/** An LRU cache, by pages: at most so many, and so many characters of JSON. */
const made = new Recent<Made>(100, 2 * 1024 * 1024, ({ items }) => items.json.length);

/** The rooms by the order of their ids, every one or a page of them, and the cursor after it if there are more. */
export async function listAllRooms(page?: Page): Promise<Pick<Made, 'items' | 'next'>> {
  const key = page ? `${page.limit} ${page.after ?? ''}` : '';
  const last = made.get(key);
  return last?.state === stateOf(rooms.unscoped) ? last : sharedLists(key, () => makeList(key, page));
}

const sharedLists = singleFlight<Made>();

async function makeList(key: string, page: Page | undefined): Promise<Made> {
  const last = made.get(key);
  const state = stateOf(rooms.unscoped);
  const entries = last?.entries.length ? await readMoved(last.entries, page) : await readEntries(rangeOf(page), page);
  const list = last?.entries === entries ? { ...last, state } : { entries, ...showList(entries, page), state };
  // A function would need a call more for a page where something has happened.
  if (!(page && isOnLambda)) made.set(key, list);
  return list;
}

function showList(entries: Entry[], page: Page | undefined): Pick<Made, 'items' | 'next'> {
  const { items, next } = pageOf(
    entries,
    page?.limit ?? entries.length,
    ({ json }) => json,
    ({ _id }) => _id.toHexString(),
  );
  return { items: new Written<Room[]>(`[${items.join()}]`), next: next === undefined ? undefined : { after: next } };
}

async function readMoved(entries: Entry[], page: Page | undefined): Promise<Entry[]> {
  const options = { projection: stampFields, sort: { _id: 1 as const }, batchSize: 10_000, ...(page && withOneMore(page.limit)) };
  const stamps = await rooms.find<Stamp>(rangeOf(page), options).toArray();
  const now = await upToDate(stamps, entries, (moved) => readEntries({ _id: { $in: moved } }));
  // Without a room that was deleted a moment ago, a page would seem to be the last one.
  return isComplete(now) ? now : readEntries(rangeOf(page), page);
}

const isComplete = (entries: (Entry | undefined)[]): entries is Entry[] => !entries.includes(undefined);

type Range = { _id?: { $gt: ObjectId } | { $in: ObjectId[] } };

const rangeOf = (page: Page | undefined): Range => (page?.after ? { _id: { $gt: page.after } } : {});

async function readEntries(where: Range, page?: Page): Promise<Entry[]> {
  const found = rooms.find<ShownRoom & Stamp>(where, {
    projection: { ...shownRoom.reads, ...stampFields },
    sort: { _id: 1 },
    ...(page && withOneMore(page.limit)),
  });
  const all: Entry[] = [];
  let size = 0;
  while (await found.hasNext()) {
    for (const room of found.readBufferedDocuments()) {
      const { _id, seq, changed_at, lost_count } = room;
      const json = JSON.stringify(shownRoom.show(room));
      all.push({ _id, seq, changed_at, lost_count, json });
      size += json.length;
    }
    if (size > largestList) {
      await found.close();
      throw answerTooLarge();
    }
  }
  return all;
}

// A list of four times what a response carries is not worth its memory: no compression makes it fit.
const largestList = 4 * limits.response;
