import type { RoomDocument } from '../collections/rooms.ts';

/**
 * What tells whether something has happened in a room: what the lists of rooms show of it, and who is in it, changes only together with one of
 * these. Bans and invitations do not; and a room that is being deleted is not found at all.
 */
export type Stamp = Pick<RoomDocument, '_id' | 'seq' | 'changed_at'> & { lost_count?: number | undefined };

/** The projection to it. */
export const stampFields = { seq: 1, changed_at: 1, lost_count: 1 } as const;

/** What was read of a room before, if nothing has happened in it since. */
export function unlessMoved<Known extends Stamp>(known: Known | undefined, now: Stamp): Known | undefined {
  const isSame =
    known?.seq === now.seq &&
    known._id.equals(now._id) &&
    known.changed_at.getTime() === now.changed_at.getTime() &&
    known.lost_count === now.lost_count;
  return isSame ? known : undefined;
}
