import type { ObjectId } from 'mongodb';
import { describeError, log } from '../base/log.ts';
import { type ReadMarkerDocument, readMarkers } from '../collections/rooms/read-markers.ts';
import { countNoted } from '../database/within-process.ts';
import { retryContended } from '../database/writes.ts';
import { isOnLambda } from '../settings/config.ts';

/*
 * A write-behind buffer for the changes that messages make in the markers of their readers. The sender of a message
 * has read up to it, and the users that it mentions have mentions to count.
 *
 * The buffer is written a moment later, together with everything that was said by then: a write for each message
 * would make sending a fifth dearer. Until then, reads in this process find the changes here. If the process dies
 * before, only a number is wrong, until the next message. A function on Lambda, which may be frozen when it has
 * answered, writes them in parallel with the message.
 */

/** The numbers of a marker that only ever grow by messages. */
export type HighestPlaces = { seq?: number; ordinal?: number; mentioned?: number };

/** The facts about a message that the readers of its room need. */
type SentNote = { room: ObjectId; seq: number; ordinal: number; user: ObjectId; mentions: ObjectId[] };

type Note = { _id: ReadMarkerDocument['_id']; highest: HighestPlaces };

/** Notes messages in the markers of their readers. */
export const noteMessages = (sent: SentNote[]): Promise<void> =>
  note(
    sent.flatMap(({ room, seq, ordinal, user, mentions }) => [
      { _id: { room, user }, highest: { seq, ordinal } },
      ...mentions.map((mentioned) => ({ _id: { room, user: mentioned }, highest: { mentioned: seq } })),
    ]),
  );

/** Notes that an edited message at a `seq` mentions these users. */
export const noteMentions = (room: ObjectId, seq: number, mentions: ObjectId[]): Promise<void> =>
  note(mentions.map((user) => ({ _id: { room, user }, highest: { mentioned: seq } })));

/**
 * The part of a marker that is noted and not stored yet. Call this before reading the marker, or an update may be
 * missed.
 */
export const notedOf = (room: ObjectId, user: ObjectId): HighestPlaces | undefined =>
  notes.size === 0 ? undefined : notes.get(keyOf({ room, user }))?.highest;

countNoted(readMarkers, () => changes);

/** Stores the notes, after those that are being stored. Once it resolves, no earlier number can come later. */
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
  // A note that was made meanwhile is another object, and yet to be stored.
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

// Milliseconds until the notes are stored, and how many there may be before.
const longestWait = 250;
const mostNotes = 1_000;

async function note(added: Note[]): Promise<void> {
  for (const { _id, highest } of added) {
    const key = keyOf(_id);
    notes.set(key, { _id, highest: highestOf(notes.get(key)?.highest ?? {}, highest) });
  }
  if (added.length === 0) return;
  changes++;
  if (isOnLambda || notes.size >= mostNotes) return storeNotes();
  timer ??= setTimeout(storeNotes, longestWait).unref();
}

const keyOf = ({ room, user }: ReadMarkerDocument['_id']) => `${room.toHexString()} ${user.toHexString()}`;
