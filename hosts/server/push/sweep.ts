import { type Background, inBackground } from '../../../lib/base/background.ts';
import { readPositions } from '../../../lib/push/news.ts';
import type { Room } from './audience.ts';
import type { Hub } from './hub.ts';

/** How many rooms or tokens one read is about. */
export const slice = 1_000;

/** In how many sweeps the rooms of every user are read again. */
const rounds = 12;

/** For how many milliseconds a notice may be on its way. */
const noticeTime = 2_000;

/**
 * Looks at everything that notices should have told of, again and again, and so repairs what was lost with a process or between two machines:
 * how far each room is, whether each token is valid and, more rarely, in which rooms each user is.
 */
export const sweepEvery = (milliseconds: number, hub: Hub): Background =>
  inBackground(async ({ pause, attempt }) => {
    for (let round = 0; ; round++) {
      await pause(milliseconds);
      if (hub.followers.size > 0) await attempt('sweep failed', () => sweep(hub, round, pause));
    }
  });

async function sweep(hub: Hub, round: number, pause: (milliseconds: number) => Promise<void>): Promise<void> {
  await hub.checkEpoch();
  const late: { room: Room; seq: number }[] = [];
  for (const rooms of slices([...hub.rooms.values()])) {
    const found = await hub.read(() => readPositions(rooms.map(({ id }) => id)));
    for (const room of rooms) {
      const seq = found.get(room.id);
      if (seq === undefined) hub.gone(room);
      else if (seq > room.noticed) late.push({ room, seq });
    }
  }
  for (const connections of slices([...hub.connections()])) await hub.check(connections);

  if (late.length > 0) await pause(noticeTime);
  for (const { room, seq } of late) {
    if (seq <= room.noticed) continue;
    room.repairing = seq;
    hub.moved(room, seq);
  }

  for (const [at, follower] of [...hub.followers.values()].entries())
    if (follower.isStale || at % rounds === round % rounds) await hub.refresh(follower);
}

/** These in parts that one read may be about. */
export function* slices<T>(all: T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += slice) yield all.slice(at, at + slice);
}
