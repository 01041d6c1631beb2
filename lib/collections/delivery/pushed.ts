import type { IndexDescription, ObjectId } from 'mongodb';
import type { Leased } from '../../base/lease.ts';
import { collection } from '../../database/bounded.ts';

/** How far the devices of a room's members were told of it, by its `_id`; and which process is telling them, until when. */
type PushedDocument = Leased & { _id: ObjectId; seq: number };

/** What is older than any push is forgotten. */
export const pushedIndexes: IndexDescription[] = [{ key: { leased_until: 1 }, name: 'leased_until', expireAfterSeconds: 86_400 }];

/** The progress of pushes in all rooms. */
export const pushed = collection<PushedDocument>('pushed');
