import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * When a person last used the service, rounded to the hour. Only sessions count, so programs do
 * not. It outlives the session. It is not part of the account, because every change of an account
 * invalidates its cached copies.
 */
type ActivityDocument = {
  /** The account's id. */
  _id: ObjectId;
  at: Date;
};

/** For how many days activity is kept. */
export const activityDays = 30;

export const activityIndexes: IndexDescription[] = [
  { key: { at: 1 }, name: 'at', expireAfterSeconds: (activityDays + 1) * 86_400 },
];

/** The last activity of each account. */
export const activities = collection<Omit<ActivityDocument, '_id'>>('activities');
