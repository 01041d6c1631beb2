import { type Background, inBackground } from '../../../lib/base/background.ts';
import { readPositions } from '../../../lib/push/news.ts';
import type { Room } from './audience.ts';
import type { Hub } from './hub.ts';

/** Number of rooms or tokens per read. */
export const slice = 1_000;

/** Number of sweeps in which the rooms of all users are read once. */
const rounds = 12;

/** Milliseconds after which a missing notice counts as lost. */
const noticeTime = 2_000;

/**
 * Repeatedly checks the state that notices should have reported, so that notices that were lost
 * with a process or between machines do no lasting harm. It reads the position of each room, the
 * validity of each token and, less often, the rooms of each user.
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
  for (const rooms of slices(hub.rooms.all())) {
    const found = await hub.read(() => readPositions(rooms.map(({ id }) => id)));
    for (const room of rooms) {
      const seq = found.get(room.id);
      if (seq === undefined) hub.rooms.gone(room);
      else if (seq > room.noticed) late.push({ room, seq });
    }
  }
  for (const connections of slices([...hub.connections()])) await hub.check(connections);

  if (late.length > 0) await pause(noticeTime);
  for (const { room, seq } of late) {
    if (seq <= room.noticed) continue;
    room.repairing = seq;
    hub.rooms.moved(room, seq);
  }

  for (const [at, follower] of [...hub.followers.values()].entries())
    if (follower.isStale || at % rounds === round % rounds) await hub.rooms.refresh(follower);
}

/** Splits a list into parts for one read each. */
export function* slices<T>(all: T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += slice) yield all.slice(at, at + slice);
}
