import type { ObjectId } from 'mongodb';
import { limits } from '../api/limits.ts';
import { Written } from '../api/written.ts';
import { rooms } from '../collections/rooms.ts';
import { singleFlight } from '../database/batching.ts';
import { stateOf } from '../database/within-process.ts';
import { answerTooLarge } from '../errors.ts';
import { type Room, type ShownRoom, shownRoom } from './rooms.ts';
import { type Stamp, stampFields, upToDate } from './stamps.ts';

/*
 * The list of all rooms, which few ask for, but as a whole and again and again. A process keeps the list that it has
 * made, asks the database each time how far the rooms are, and reads those again that have moved since. A database
 * within the process need not be asked as long as no room has changed.
 */

/** A room's JSON, and when it was so. */
type Entry = Stamp & { json: string };

/** Every room, by the order of their ids. */
export async function listAllRooms(): Promise<Written<Room[]>> {
  return latest.state === stateOf(rooms.unscoped) ? latest.list : sharedList('all', readAllRooms);
}

const sharedList = singleFlight<Written<Room[]>>();

const nothing = { entries: [] as Entry[], list: new Written<Room[]>('[]'), state: Number.NaN };

/** The latest list: room by room, as a whole, and the state of the rooms before it was read. */
let latest = nothing;

/** How many characters of a list are kept. */
const mostKept = 2 * 1024 * 1024;

async function readAllRooms(): Promise<Written<Room[]>> {
  const { entries, list } = latest;
  const state = stateOf(rooms.unscoped);
  if (entries.length === 0) return remember(await readEntries({}), state);
  const options = { projection: stampFields, sort: { _id: 1 as const }, batchSize: 10_000 };
  const stamps = await rooms.find<Stamp>({}, options).toArray();
  const now = await upToDate(stamps, entries, (moved) => readEntries({ _id: { $in: moved } }));
  if (now !== entries)
    return remember(
      now.filter((entry) => entry !== undefined),
      state,
    );
  latest = { entries, list, state };
  return list;
}

function remember(entries: Entry[], state: number): Written<Room[]> {
  const list = new Written<Room[]>(`[${entries.map(({ json }) => json).join()}]`);
  latest = list.json.length <= mostKept ? { entries, list, state } : nothing;
  return list;
}

async function readEntries(where: { _id?: { $in: ObjectId[] } }): Promise<Entry[]> {
  const found = rooms.find<ShownRoom & Stamp>(where, {
    projection: { ...shownRoom.reads, ...stampFields },
    sort: { _id: 1 },
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
