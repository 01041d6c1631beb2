import { attempt } from '../deadline.ts';
import { serviceUnavailable } from '../errors.ts';
import { type ChangedRoom, type RoomChange, takePlace } from './sequence.ts';

/**
 * Changes a room and takes a place for that. When its filter does not match, `refuse` reads why and throws what is due. If it throws nothing,
 * the room came to match after the update had missed it, and the update is tried again.
 */
export const changeRoom = <Wanted extends object = object>(
  change: RoomChange,
  refuse: () => Promise<unknown>,
): Promise<ChangedRoom & Wanted> =>
  // Each further attempt takes someone else's change just between the update and the read.
  attempt({ times: 10, exhausted: () => serviceUnavailable('The room keeps changing: please try again.') }, async () => {
    const changed = await takePlace<Wanted>(change);
    if (!changed) await refuse();
    return changed ?? undefined;
  });
