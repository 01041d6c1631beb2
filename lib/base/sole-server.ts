/*
 * A server with a database of its own is the only one that writes to it. Work that an earlier process had begun before
 * this one started will not be finished.
 */

let start: Date | undefined;

/** Declares that no other server has worked on the database since this time; undefined: others may. */
export function serveAloneSince(time: Date | undefined): void {
  start = time;
}

/** The start of the only server of the database; undefined if there may be others. */
export const aloneSince = (): Date | undefined => start;
