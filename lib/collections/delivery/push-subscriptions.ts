import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** The push subscription of a device (RFC 8030), and the messages that it wants. */
export type PushSubscriptionDocument = {
  /** The token of the device; the subscription ends with it. */
  _id: ObjectId;
  user: ObjectId;
  /**
   * The address at the browser's push service, and the keys that encrypt the payloads (RFC 8291).
   */
  endpoint: string;
  p256dh: string;
  auth: string;
  /** The service's public key that the device subscribed with. */
  key: string;
  /** The messages to notify about. `mine`: mentions, conversations and followed threads. */
  of: 'mine' | 'all';
  created_at: Date;
  /** When its token expires. */
  expires_at: Date | null;
  /** How many pushes in a row the push service has refused. */
  refused: number;
  /** Rooms and reminders whose notifications failed, and when to retry. */
  retry?: { at: Date; rooms?: ObjectId[]; reminders?: ObjectId[] };
};

export const pushSubscriptionIndexes: IndexDescription[] = [
  { key: { user: 1 }, name: 'user' },
  { key: { endpoint: 1 }, name: 'endpoint' },
  { key: { key: 1 }, name: 'key' },
  { key: { 'retry.at': 1 }, name: 'retry.at', sparse: true },
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
];

/** The push subscriptions of all devices. */
export const pushSubscriptions = collection<PushSubscriptionDocument>('push_subscriptions');
