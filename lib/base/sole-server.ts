/*
 * A server with its own database is the only writer. Work that an earlier process began will not be
 * finished.
 */

let start: Date | undefined;

/** Declares that no other server has used the database since this time; undefined if others may. */
export function serveAloneSince(time: Date | undefined): void {
  start = time;
}

/** The start of the only server of the database; undefined if there may be others. */
export const aloneSince = (): Date | undefined => start;
