import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * When somebody was here last, to the hour: by a session, so that no program counts. It outlives the session, and is
 * apart from the accounts, whose every change makes what is remembered of them old.
 */
type ActivityDocument = {
  /** The account's id. */
  _id: ObjectId;
  at: Date;
};

/** For how many days it is known who was here. */
export const activityDays = 30;

export const activityIndexes: IndexDescription[] = [
  { key: { at: 1 }, name: 'at', expireAfterSeconds: (activityDays + 1) * 86_400 },
];

/** When people were here last. */
export const activities = collection<Omit<ActivityDocument, '_id'>>('activities');
