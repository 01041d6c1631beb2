import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import type { LeaseFields } from './lease-fields.ts';

/**
 * The last event of a room that was sent as push notifications, with the lease of the process that
 * sends them. `_id` is that of the room.
 */
type PushedDocument = LeaseFields & { _id: ObjectId; seq: number };

/** A document without activity for a day is older than any push. */
export const pushedIndexes: IndexDescription[] = [{ key: { leased_until: 1 }, name: 'leased_until', expireAfterSeconds: 86_400 }];

/** The progress of pushes in all rooms. */
export const pushed = collection<PushedDocument>('pushed');
