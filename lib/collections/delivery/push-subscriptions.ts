import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** Where pushes reach a device while its page is closed (RFC 8030), and which of them it wants. */
export type PushSubscriptionDocument = {
  /** The token of the device: the subscription ends with it. */
  _id: ObjectId;
  user: ObjectId;
  /** The address at the browser's push service, and the keys by which its payloads are encrypted (RFC 8291). */
  endpoint: string;
  p256dh: string;
  auth: string;
  /** The key of the service for which it was made. */
  key: string;
  /** Which messages it is told of: mentions, conversations and followed threads; or all. */
  of: 'mine' | 'all';
  created_at: Date;
  /** When its token expires. */
  expires_at: Date | null;
  /** How many pushes the push service has refused since it took one last. */
  refused: number;
  /** The rooms, and the messages to be reminded of, of which it could not be told yet, and when to try again. */
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
