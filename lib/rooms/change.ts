import type { Precondition } from '../api/entity-tag.ts';
import type { Representation } from '../api/representation.ts';
import { attempt } from '../base/deadline.ts';
import { serviceUnavailable } from '../base/errors.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { type ChangedRoom, type RoomChange, takePlace } from './sequence.ts';

/** How a room must look before a change, and how to see that. */
type Match<Stored extends object> = {
  precondition: Precondition | undefined;
  as: Pick<Representation<Stored, object>, 'reads' | 'show'>;
};

/**
 * Changes a room and takes a place for that. When its filter does not match, `refuse` reads why and throws what is
 * due. If it throws nothing, the room came to match after the update had missed it, and the update is tried again.
 * With a precondition the room is read before; the update then requires that nothing has happened in the room since.
 */
export const changeRoom = <Wanted extends object = object>(
  change: RoomChange,
  refuse: () => Promise<unknown>,
  match?: Match<Wanted>,
): Promise<ChangedRoom & Wanted> =>
  // Each further attempt takes someone else's change just between the update and the read.
  attempt({ times: 10, exhausted: () => serviceUnavailable('The room keeps changing: please try again.') }, async () => {
    const where = match?.precondition ? { $and: [change.where, await asSeen(change, refuse, match)] } : change.where;
    const changed = await takePlace<Wanted>({ ...change, where });
    if (!changed) await refuse();
    return changed ?? undefined;
  });

/** The part of a filter that says that the room is as it was when the precondition was met. */
async function asSeen<Stored extends object>(
  { where }: RoomChange,
  refuse: () => Promise<unknown>,
  { precondition, as }: Match<Stored>,
) {
  const found = await rooms.findOne<Stored & { seq: number }>(where, { projection: { ...as.reads, seq: 1 } });
  // A caller who may not change the room, or see it, does not learn how it looks.
  if (!found) await refuse();
  if (found) precondition?.(as.show(found));
  return { seq: found?.seq ?? noSeq };
}

// No room has it: the change is tried again.
const noSeq = -1;
