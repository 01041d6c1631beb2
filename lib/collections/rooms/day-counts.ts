import { collection } from '../../database/bounded.ts';

/**
 * The number of messages on a past day. It is derived from the messages, and counted again if it is
 * missing.
 */
type DayCountDocument = {
  /** The UTC day, such as `2026-11-26`, or `generation`. */
  _id: string;
  messages: number;
  /**
   * The generation of the count. The document `generation` changes when all counts are dropped, so
   * that each process drops its cached counts. A count of another generation, or of none, is
   * computed again.
   */
  generation?: string;
};

/**
 * The counts of the last days. Exports leave them out, because they can be computed from the
 * messages.
 */
export const dayCounts = collection<DayCountDocument>('day_counts');
