/*
 * A lease: one process at a time does something, and says until when it may, by the clock of the database.
 */

/** The part of a filter that says that nobody has a lease of at most so many milliseconds. */
export function isFree(lease: number) {
  // A lease from a clock that was ahead holds nobody up.
  const isHeld = { $and: [{ $gt: ['$leased_until', '$$NOW'] }, { $lte: ['$leased_until', { $add: ['$$NOW', lease] }] }] };
  return { $expr: { $not: [isHeld] } };
}

/** The fields of an update, as expressions, that take or renew a lease. */
export const leased = (lease: number) => ({ leased_until: { $add: ['$$NOW', lease] } });
