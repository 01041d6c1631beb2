import type { ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * How far the documents of earlier versions have been given what this version needs: all from the newest to this one,
 * or all there are.
 */
export type UpgradeDocument = { _id: 'words of messages' | 'beginnings of accounts'; down_to: ObjectId | null };

/** The data that is yet to be added to documents of earlier versions. */
export const upgrades = collection<UpgradeDocument>('upgrades');
