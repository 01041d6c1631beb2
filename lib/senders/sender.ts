import type { ObjectId, UpdateFilter } from 'mongodb';
import type { DeliveryDocument, WebhookStateDocument } from '../collections/delivery/webhook-states.ts';
import type { SentEventType } from '../collections/rooms/events.ts';
import type { SigningSecret } from '../collections/rooms/signing-secrets.ts';
import type { Event } from '../feed/events.ts';
import type { Caller } from '../identity/caller.ts';

/** An event of a type that webhooks send. */
export type SentEvent = Event & { type: SentEventType };

/** A webhook and a room whose events it sends. */
export type Sender = {
  /** The id of its delivery state. */
  _id: ObjectId;
  room: ObjectId;
  bot?: ObjectId;
  to: SigningSecret & { url: string };
  /** The account whose limits apply: the webhook's creator, or the owner of the bot. */
  payer: string;
  /** The account that posts its replies. */
  speaker: ObjectId;
  findCaller: () => Promise<Caller>;
  /** Finds the place after which it starts. */
  findStart: () => Promise<number>;
  isWanted: (event: SentEvent) => boolean;
  /**
   * True if it has not changed since it was found. It is checked before unwanted events are
   * skipped.
   */
  isCurrent: () => Promise<boolean>;
  /** True if it may still send. It may have ended with a role, an account or a membership. */
  isThere: () => Promise<boolean>;
  /** Adds an attempt to a change of the delivery state, if the attempts are kept there. */
  withAttempt: (change: StateChange, delivery: DeliveryDocument, isOver: boolean) => StateChange;
  /**
   * Completes the record of an attempt. If `isOver`, the webhook is switched off, and people are
   * informed.
   */
  recordAttempt: (delivery: DeliveryDocument, isOver: boolean) => Promise<void>;
};

/** A change of a delivery state after an attempt. */
export type StateChange = UpdateFilter<WebhookStateDocument> & { $set: Partial<WebhookStateDocument> };

/** The number of attempts that a webhook shows. */
export const mostDeliveries = 20;

/** A webhook in a room: the room's position, and the place after which the webhook starts. */
export type SenderPlace = Pick<Sender, '_id' | 'room'> & { seq: number; since: number; isOn: boolean };

/** A kind of webhooks that send the events of rooms. */
export type SenderKind = {
  /** Finds the webhooks of a room. */
  find: (room: ObjectId) => Promise<Sender[]>;
  /** Lists all webhooks, each in each of its rooms. */
  listPlaces: () => AsyncGenerator<SenderPlace>;
};
