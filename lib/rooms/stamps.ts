import type { ObjectId } from 'mongodb';
import type { RoomDocument } from '../collections/rooms.ts';

/**
 * The fields that tell whether something has happened in a room. Its entries in the lists of rooms, and its members,
 * change only together with one of them. Bans and invitations change without them; and a room that is being deleted
 * is not found at all.
 */
export type Stamp = Pick<RoomDocument, '_id' | 'seq' | 'changed_at'> & { lost_count?: number | undefined };

/** The projection to a `Stamp`. */
export const stampFields = { seq: 1, changed_at: 1, lost_count: 1 } as const;

/**
 * The rooms for these stamps, in their order: from `before` if nothing has happened since, otherwise read again by
 * `read`. `undefined` for a room that `read` no longer finds. Returns `before` itself if nothing has happened at all.
 */
export async function upToDate<Known extends Stamp>(
  stamps: Stamp[],
  before: Known[],
  read: (moved: ObjectId[]) => Promise<Known[]>,
): Promise<(Known | undefined)[]> {
  const isSame = stamps.length === before.length && stamps.every((stamp, at) => isAsBefore(before[at], stamp));
  if (isSame) return before;
  const known = byId(before);
  const unmoved = stamps.map((stamp) => {
    const room = known.get(stamp._id.toHexString());
    return isAsBefore(room, stamp) ? room : undefined;
  });
  const moved = stamps.filter((_, at) => !unmoved[at]).map(({ _id }) => _id);
  const again = byId(moved.length === 0 ? [] : await read(moved));
  return stamps.map((stamp, at) => unmoved[at] ?? again.get(stamp._id.toHexString()));
}

const byId = <Known extends Stamp>(rooms: Known[]) => new Map(rooms.map((room) => [room._id.toHexString(), room]));

const isAsBefore = (before: Stamp | undefined, now: Stamp): boolean =>
  before?.seq === now.seq &&
  before._id.equals(now._id) &&
  before.changed_at.getTime() === now.changed_at.getTime() &&
  before.lost_count === now.lost_count;
