import type { IndexDescription } from 'mongodb';
import { ObjectId } from 'mongodb';
import { config } from '../config.ts';
import { database, isDuplicateKey } from '../database/client.ts';
import { takePlace } from './sequence.ts';

/** A change of a room that is not a new message: it takes a `seq` of the room as messages do, so that both make one feed. */
export type EventDocument = {
  _id: ObjectId;
  room: ObjectId;
  seq: number;
  /** How many messages the room had counted when the `seq` was taken. */
  ordinal?: number;
  type: EventType;
  /** The database's time of the update that took the `seq`. */
  at: Date;
  actor: ObjectId | null;
  /** What the event is about: ids, never a copy of what can change. */
  data: Record<string, unknown>;
};

/** What can happen in a room beside a new message. */
export const eventTypes = [
  'message.edited',
  'message.deleted',
  'message.pinned',
  'message.unpinned',
  'reaction.added',
  'reaction.removed',
  'member.joined',
  'member.left',
  'member.kicked',
  'member.banned',
  'member.changed',
  'room.changed',
  'room.archived',
] as const;

/** One of them; `void` fills a `seq` that was taken in vain. */
export type EventType = (typeof eventTypes)[number] | 'void';

export const eventIndexes: IndexDescription[] = [
  { key: { room: 1, seq: 1 }, name: 'room, seq', unique: true },
  // A day longer than a feed promises, so that what it may still show is surely there.
  { key: { at: 1 }, name: 'at', expireAfterSeconds: (config.eventDays + 1) * 86_400 },
];

/** The events of all rooms. */
export const events = database.collection<Omit<EventDocument, '_id'>>('events');

/**
 * Records a change at the `seq` that its update took. When a feed has given that `seq` up, because the function was frozen
 * for longer than a feed waits, the change is recorded at the room's next one: no reader may find it where it has already been.
 */
export async function recordEvent(event: Omit<EventDocument, '_id'>): Promise<void> {
  let document = { _id: new ObjectId(), ...event };
  while (!(await insertEvent(document))) {
    if (document.type === 'void' || (await isRecorded(document))) return;
    const place = await takePlace(document.room);
    if (!place) return; // the room is gone, and its feed with it
    document = { ...document, ...place };
  }
}

/** Inserts an event; false when its `seq` is no longer free. */
export async function insertEvent(event: Omit<EventDocument, '_id'>): Promise<boolean> {
  try {
    await events.insertOne(event);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

// By the driver, that sent it again after its connection broke, or by a feed, that found the change without its event.
const isRecorded = async ({ room, seq, type }: EventDocument) =>
  (await events.findOne({ room, seq }, { projection: { type: 1 } }))?.type === type;
