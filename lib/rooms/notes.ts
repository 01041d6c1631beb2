import type { ObjectId } from 'mongodb';
import { describeError, log } from '../base/log.ts';
import { type ReadMarkerDocument, readMarkers } from '../collections/rooms/read-markers.ts';
import { retryContended } from '../database/engines.ts';
import { countNoted } from '../database/within-process.ts';
import { isOnLambda } from '../settings/config.ts';

/*
 * A write-behind buffer for changes of read markers by messages. The sender of a message has read
 * up to it, and the mentions of other users are counted.
 *
 * The buffer is written a moment later, with the changes of all messages since. A write for each
 * message would make sending a fifth more expensive. Until then, reads in this process find the
 * changes here. If the process dies before, only a number is wrong, until the next message. A
 * function on Lambda writes the changes in parallel with the message, because it may be suspended
 * after its response.
 */

/** The fields of a marker that messages only increase. */
export type HighestPlaces = { seq?: number; ordinal?: number; mentioned?: number };

/** The facts about a message that change its readers' markers. */
type SentNote = { room: ObjectId; seq: number; ordinal: number; user: ObjectId; mentions: ObjectId[] };

type Note = { _id: ReadMarkerDocument['_id']; highest: HighestPlaces };

/** Records messages in the markers of their readers. */
export const noteMessages = (sent: SentNote[]): Promise<void> =>
  note(
    sent.flatMap(({ room, seq, ordinal, user, mentions }) => [
      { _id: { room, user }, highest: { seq, ordinal } },
      ...mentions.map((mentioned) => ({ _id: { room, user: mentioned }, highest: { mentioned: seq } })),
    ]),
  );

/** Records that an edited message mentions these users; `seq` is the place of the edit. */
export const noteMentions = (room: ObjectId, seq: number, mentions: ObjectId[]): Promise<void> =>
  note(mentions.map((user) => ({ _id: { room, user }, highest: { mentioned: seq } })));

/**
 * The part of a marker that is buffered and not stored yet. Call this before you read the marker,
 * or you may miss an update.
 */
export const notedOf = (room: ObjectId, user: ObjectId): HighestPlaces | undefined =>
  notes.size === 0 ? undefined : notes.get(keyOf({ room, user }))?.highest;

countNoted(readMarkers, () => changes);

/**
 * Stores the buffered changes, after those that are being stored. After it resolves, no earlier
 * number can be written.
 */
export function storeNotes(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  storing = storing.then(storeAll);
  return storing;
}

async function storeAll(): Promise<void> {
  const stored = [...notes];
  if (stored.length === 0) return;
  const writes = stored.map(([, { _id, highest }]) => ({
    updateOne: { filter: { _id }, update: { $max: highest }, upsert: true },
  }));
  try {
    await retryContended(() => readMarkers.bulkWrite(writes, { ordered: false }));
  } catch (error) {
    log('error', 'messages were not noted in read markers', { error: describeError(error) });
  }
  // A change that was buffered in the meantime is another object, and must still be stored.
  for (const [key, note] of stored) if (notes.get(key) === note) notes.delete(key);
  changes++;
}

/** The higher of the two numbers of each kind. */
export function highestOf(one: HighestPlaces, other: HighestPlaces): HighestPlaces {
  const highest: Record<string, number> = { ...one };
  for (const [name, value] of Object.entries(other)) highest[name] = Math.max(highest[name] ?? 0, value);
  return highest;
}

const notes = new Map<string, Note>();
let changes = 0;
let timer: NodeJS.Timeout | undefined;
let storing = Promise.resolve();

// The longest delay in milliseconds, and the most changes, before the buffer is written.
const longestWaitMs = 250;
const mostNotes = 1_000;

async function note(added: Note[]): Promise<void> {
  for (const { _id, highest } of added) {
    const key = keyOf(_id);
    notes.set(key, { _id, highest: highestOf(notes.get(key)?.highest ?? {}, highest) });
  }
  if (added.length === 0) return;
  changes++;
  if (isOnLambda || notes.size >= mostNotes) return storeNotes();
  timer ??= setTimeout(storeNotes, longestWaitMs).unref();
}

const keyOf = ({ room, user }: ReadMarkerDocument['_id']) => `${room.toHexString()} ${user.toHexString()}`;
