import { eventGroups } from 'chat-service-rules/event-types';
import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import { fromConfig } from '../../settings/config.ts';

/**
 * A change of a room other than a new message. Events and messages share the room's `seq`, so that
 * both form one feed.
 */
export type EventDocument = {
  _id: ObjectId;
  room: ObjectId;
  seq: number;
  /** The number of messages in the room when the `seq` was taken. */
  ordinal?: number;
  type: EventType;
  /** The time of the update that took the `seq`, by the database's clock. */
  at: Date;
  /** The user who made the change; null for the service and its command line. */
  actor: ObjectId | null;
  /** The ids of what changed, never a copy of anything that can change. */
  data: Record<string, unknown>;
};

const { created, changed, pinned, reactions, actions, members, room } = eventGroups;

/** The events of an existing message that a webhook may send. */
const messageChanges = [...changed, ...pinned, ...reactions, ...actions] as const;

/** The events of an existing message. */
export const messageEventTypes = [...messageChanges, 'message.completed'] as const;

/** The events of a member. */
export const memberEventTypes = members;

/** The events of a room itself. */
export const roomEventTypes = room;

/**
 * The events that an outgoing webhook may send. It sends a streamed message once, as
 * `message.created`, when the message is complete.
 */
export const sentEventTypes = [...created, ...messageChanges, ...memberEventTypes, ...roomEventTypes] as const;
export type SentEventType = (typeof sentEventTypes)[number];

/**
 * The events of a room other than a new message; `void` fills a `seq` that was taken and not used.
 */
export type EventType = (typeof messageEventTypes | typeof memberEventTypes | typeof roomEventTypes)[number] | 'void';

export const eventIndexes = fromConfig(({ eventDays }): IndexDescription[] => [
  { key: { room: 1, seq: 1 }, name: 'room, seq', unique: true },
  // A day longer than the feed promises, so that every event that it may still return exists.
  { key: { at: 1 }, name: 'at', expireAfterSeconds: (eventDays + 1) * 86_400 },
]);

/** The events of all rooms. */
export const events = collection<Omit<EventDocument, '_id'>>('events');
