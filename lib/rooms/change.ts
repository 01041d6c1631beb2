import type { Precondition } from '../api/entity-tag.ts';
import type { Representation } from '../api/representation.ts';
import { attempt } from '../base/deadline.ts';
import { serviceUnavailable } from '../base/errors.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { type ChangedRoom, type RoomChange, takePlace } from './sequence.ts';

/** The condition of a change on the room's state, and the fields to check it. */
type Match<Stored extends object> = {
  precondition: Precondition | undefined;
  as: Pick<Representation<Stored, object>, 'reads' | 'show'>;
};

/**
 * Changes a room and reserves a place for the change. If the filter does not match, `refuse` finds
 * the reason and throws. If it does not throw, the room has begun to match since, and the update is
 * retried. With a precondition the room is read first. The update then requires that nothing has
 * happened in the room since.
 */
export const changeRoom = <Wanted extends object = object>(
  change: RoomChange,
  refuse: () => Promise<unknown>,
  match?: Match<Wanted>,
): Promise<ChangedRoom & Wanted> =>
  // Each further attempt requires a concurrent change between the update and the read.
  attempt({ times: 10, exhausted: () => serviceUnavailable('The room keeps changing: please try again.') }, async () => {
    const where = match?.precondition ? { $and: [change.where, await asSeen(change, refuse, match)] } : change.where;
    const changed = await takePlace<Wanted>({ ...change, where });
    if (!changed) await refuse();
    return changed ?? undefined;
  });

/** The condition that the room has not changed since the precondition was met. */
async function asSeen<Stored extends object>(
  { where }: RoomChange,
  refuse: () => Promise<unknown>,
  { precondition, as }: Match<Stored>,
) {
  const found = await rooms.findOne<Stored & { seq: number }>(where, { projection: { ...as.reads, seq: 1 } });
  // A caller who may not change or see the room must not learn its state.
  if (!found) await refuse();
  if (found) precondition?.(as.show(found));
  return { seq: found?.seq ?? noSeq };
}

// A `seq` that does not exist, so that the change is retried.
const noSeq = -1;
