import type { ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * The progress of an upgrade: all documents from the newest down to this id are done. Null if all
 * are done.
 */
export type UpgradeDocument = { _id: 'words of messages' | 'beginnings of accounts'; down_to: ObjectId | null };

/** The progress of all upgrades. */
export const upgrades = collection<UpgradeDocument>('upgrades');
