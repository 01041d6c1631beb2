import { collection } from '../../database/bounded.ts';

/** How many messages were sent on a day that is over. It follows from the messages, and is counted again where it is missing. */
type DayCountDocument = {
  /** The day of UTC, such as `2026-11-26`, or `generation`. */
  _id: string;
  messages: number;
  /**
   * Goes with the document `generation` when all counts are forgotten, so that each process forgets what it has counted
   * of a day. A day of another one, or of none, is counted again.
   */
  generation?: string;
};

/** The counts of the last days: no export has them, because the data that they are made of does. */
export const dayCounts = collection<DayCountDocument>('day_counts');
