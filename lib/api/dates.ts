import { record } from './schema.ts';

/** A point in time as the API shows it: MongoDB Extended JSON. */
export type DateTime = { $date: string };

export const dateSchema = record<DateTime>('Time', { $date: { type: 'string', format: 'date-time' } });

/** The time as the API shows it. */
export const showDate = (date: Date): DateTime => ({ $date: date.toISOString() });

/** The time as the API shows it, or null for one that never was. */
export const showDateOrNull = (date: Date | null): DateTime | null => date && showDate(date);
