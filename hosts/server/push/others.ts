import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, log } from '../../../lib/base/log.ts';
import type { ServerNotice } from '../../../lib/notices/notices.ts';
import { readMovedSince, readNoticesSince, register, storeNotices } from '../../../lib/push/servers.ts';
import { ChunkPacer } from './chunk-pacer.ts';
import { deliver } from './deliver.ts';
import type { Hub } from './hub.ts';
import { slice, slices } from './sweep.ts';

/** The other servers that share the database. */
export type Others = {
  /** True if there are others. */
  areThere: () => boolean;
  /** Passes a notice on to the other servers, unless they discover the change themselves. */
  send: (notice: ServerNotice) => void;
  /** Resolves when all pending notices are stored. */
  end: () => Promise<void>;
};

/**
 * Interval at which a process registers again, in milliseconds. Others discover a new process this
 * way.
 */
const registerEvery = 2_000;

/** Interval at which changes of other servers are read, in milliseconds. */
const lookEvery = 500;

/**
 * After a read of a thousand rooms, pause for this multiple of its duration, so that the database
 * has time for other work. The pause is proportional to the number of rooms.
 */
const restAfterRead = 4;

/**
 * Milliseconds for which notices are gathered, and their number from which ephemeral ones are
 * dropped.
 */
const gatherTime = 100;
const manyNotices = 1_000;

/**
 * Registers this process as a part of a server, and exchanges notices with other servers. Resolves
 * when the others know of it. Without other servers, it only registers. Without connected clients,
 * it reads nothing.
 *
 * The positions of rooms are read from the database instead of sent. So if a server is killed after
 * a write, nothing is lost. Change streams would be faster, but not every database has them. They
 * also stop when their majority is lost, so reads would be needed anyway.
 */
export async function tellOthers(hub: Hub, server: string): Promise<Others> {
  const id = randomUUID();
  const ending = new AbortController();
  const { signal } = ending;
  let count = 0;
  // The database's time, and when it was read by the local clock. The true time is slightly later.
  let clock = { time: 0, at: 0 };
  const timeNow = () => new Date(clock.time + performance.now() - clock.at);
  /**
   * When the last read began, by the database's clock, and the ids of the notices that it returned.
   */
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
      for (const { notices } of found.filter((one) => !seen.has(one.id)))
        for (const notice of notices) deliver(hub, notice, { isPaced: true });
      seen = new Set(found.map((one) => one.id));
      for (const rooms of slices(hub.rooms.all().map(({ id }) => id))) {
        const readAt = performance.now();
        const moved = await hub.read(() => readMovedSince(lookedAt, rooms));
        for (const [room, seq] of moved) hub.rooms.notePosition(room, seq);
        const rest = restAfterRead * (performance.now() - readAt) * (rooms.length / slice);
        await delay(rest, undefined, { ref: false, signal });
      }
    }
    // Nobody was connected, so older notices would reach no client.
    lookedAt = begun;
  }

  const chunks = new ChunkPacer<ServerNotice & { type: 'chunk' }>();
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

  function gather(notice: ServerNotice): void {
    if (gathered.length >= manyNotices && mayGetLost.includes(notice.type)) return;
    // Each server knows the members of the room.
    gathered.push(notice.type === 'gone' ? { ...notice, users: [] } : notice);
    storing ??= store();
  }

  // An unreachable database must not prevent the replacement of a worker.
  await registerNow().catch((error) => log('error', 'not registered', { error: describeError(error) }));
  // Servers that were alone read nothing until they have registered again.
  if (count > 0) await delay(registerEvery);
  void repeat(registerEvery, registerNow, signal);
  void repeat(lookEvery, look, signal);

  return {
    areThere: () => count > 0,
    send: (notice) => {
      if (count === 0 || isFoundAnyway(notice)) return;
      if (notice.type === 'chunk') chunks.offer(notice, gather);
      else gather(notice);
    },
    end: async () => {
      ending.abort();
      await storing;
    },
  };
}

/** Notices whose content clients discover a little later anyway. */
const mayGetLost: readonly string[] = [
  'typing',
  'activity',
  'chunk',
  'read',
  'thread',
  'saved',
  'notifications',
  'presence',
] satisfies ServerNotice['type'][];

const isFoundAnyway = (notice: ServerNotice): boolean => notice.type === 'moved' && !notice.joined && !notice.left;

/**
 * Repeats work until it is aborted, with a pause in between. Logs only the first of consecutive
 * failures.
 */
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
