import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, log } from '../../../lib/base/log.ts';
import type { ServerNotice } from '../../../lib/notices/notices.ts';
import { readMovedSince, readNoticesSince, register, storeNotices } from '../../../lib/push/servers.ts';
import type { Hub } from './hub.ts';
import { slice, slices } from './sweep.ts';

/** The other servers that share the database. */
export type Others = {
  /** Whether there are any. */
  areThere: () => boolean;
  /** Passes a notice on to them, unless they find out what it tells by themselves. */
  send: (notice: ServerNotice) => void;
  /** Resolves when what was to be passed on is stored. */
  end: () => Promise<void>;
};

/** After how many milliseconds a process registers again, so that the others know of one that starts. */
const registerEvery = 2_000;

/** After how many milliseconds it is read again what came of others. */
const lookEvery = 500;

/** A read of a thousand rooms is followed by so many times the time that it took, so that the database does not do little else; of fewer, by less. */
const restAfterRead = 4;

/** For how many milliseconds notices are gathered, and from how many on what may get lost does. */
const gatherTime = 100;
const manyNotices = 1_000;

/**
 * Registers this process, as one of a server, and from then on tells it what happens on the others, and them what they would not find in their
 * rooms. Resolves when the others know of it. While there are none, it only registers; while nobody is connected here, it reads nothing.
 *
 * How far rooms have come is read, not told: so a server that is killed after a write takes nothing with it. Change streams would tell the
 * same sooner, but not every database has them, and they fall silent together with their majority: what reads would be needed as well.
 */
export async function tellOthers(hub: Hub, server: string): Promise<Others> {
  const id = randomUUID();
  const ending = new AbortController();
  const { signal } = ending;
  let count = 0;
  // The database's time, and when it was that; a little later in truth.
  let clock = { time: 0, at: 0 };
  const timeNow = () => new Date(clock.time + performance.now() - clock.at);
  /** When it was last begun to read, by the database's clock, and which notices of that time have been read. */
  let lookedAt = new Date(0);
  let seen = new Set<string>();

  async function registerNow(): Promise<void> {
    const { now, others } = await register(id, server);
    clock = { time: now.getTime(), at: performance.now() };
    if (others !== count) log('info', 'other servers', { processes: others });
    count = others;
  }

  async function look(): Promise<void> {
    const begun = timeNow();
    if (count > 0 && hub.followers.size > 0) {
      const found = await hub.read(() => readNoticesSince(lookedAt, server));
      for (const { notices } of found.filter((one) => !seen.has(one.id))) for (const notice of notices) hub.notice(notice);
      seen = new Set(found.map((one) => one.id));
      for (const rooms of slices([...hub.rooms.keys()])) {
        const readAt = performance.now();
        const moved = await hub.read(() => readMovedSince(lookedAt, rooms));
        for (const [room, seq] of moved) hub.notice({ type: 'moved', room, seq });
        const rest = restAfterRead * (performance.now() - readAt) * (rooms.length / slice);
        await delay(rest, undefined, { ref: false, signal });
      }
    }
    // Nobody was connected who had not read what is older.
    lookedAt = begun;
  }

  const gathered: ServerNotice[] = [];
  let storing: Promise<void> | undefined;

  async function store(): Promise<void> {
    do {
      await delay(gatherTime);
      await storeNotices(server, gathered.splice(0)).catch((error) =>
        log('error', 'notices lost', { error: describeError(error) }),
      );
    } while (gathered.length > 0);
    storing = undefined;
  }

  // A database that is out of reach keeps no worker from being replaced.
  await registerNow().catch((error) => log('error', 'not registered', { error: describeError(error) }));
  // Those that were alone read nothing until they have registered again themselves.
  if (count > 0) await delay(registerEvery);
  void repeat(registerEvery, registerNow, signal);
  void repeat(lookEvery, look, signal);

  return {
    areThere: () => count > 0,
    send: (notice) => {
      if (count === 0 || isFoundAnyway(notice)) return;
      if (gathered.length >= manyNotices && mayGetLost.includes(notice.type)) return;
      // Whose members they were, each server knows.
      gathered.push(notice.type === 'gone' ? { ...notice, users: [] } : notice);
      storing ??= store();
    },
    end: async () => {
      ending.abort();
      await storing;
    },
  };
}

/** Notices without which clients find the same a little later. */
const mayGetLost: readonly string[] = [
  'typing',
  'read',
  'thread',
  'saved',
  'notifications',
  'presence',
] satisfies ServerNotice['type'][];

const isFoundAnyway = (notice: ServerNotice): boolean => notice.type === 'moved' && !notice.joined;

/** Does something again and again until the end, a while after it was done last; a failure is told of once, until it succeeds again. */
async function repeat(pause: number, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let hasFailed = false; !signal.aborted; ) {
    const begun = performance.now();
    try {
      await work();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !signal.aborted) log('error', 'other servers are not heard', { error: describeError(error) });
      hasFailed = true;
    }
    await delay(Math.max(0, pause - (performance.now() - begun)), undefined, { ref: false, signal }).catch(() => undefined);
  }
}
