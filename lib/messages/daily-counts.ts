import type { ObjectId } from 'mongodb';
import { dayCounts } from '../collections/rooms/day-counts.ts';
import { messages } from '../collections/rooms/messages.ts';
import type { RoomDocument } from '../collections/rooms/rooms.ts';
import type { Counters } from '../rooms/counters.ts';

/*
 * How many messages were sent on each day, without a write when one is sent and without a look at all of them. The
 * messages of a room are numbered in the order of their times, so that the first of a day, found by bisection, tells how
 * many came before it; what lies between two days is the difference. What was counted of a day that is over is stored.
 */

/** What is asked of a room whose messages are counted. */
export type CountedRoom = { _id: ObjectId } & Counters & Pick<RoomDocument, 'seq' | 'last_message_at'>;

/** The projection to it. */
export const countedRoomFields = {
  message_count: 1,
  lost: 1,
  lost_count: 1,
  last_deleted: 1,
  seq: 1,
  last_message_at: 1,
} as const;

/** A day of UTC, and how many messages were sent on it; null while that is not counted yet. */
export type DayCount = { day: string; messages: number | null };

const dayLength = 86_400_000;

/** So many rooms are looked at together. */
const atATime = 20;

/** After so many milliseconds a day is final: what was sent in its last moments has come, or is known to be lost. */
const settled = 3_600_000;

/** The beginning of the day of UTC that is so many days before that of a time. */
export const startOfDay = (time: number, daysBefore = 0): Date =>
  new Date(Math.floor(time / dayLength) * dayLength - daysBefore * dayLength);

/**
 * How many messages these rooms, in the order of their ids, got on each of the last `days` days, the oldest first and
 * today last. It ends at the time `until`, of `performance.now()`: days that are not counted by then are null, and the
 * next call of this process goes on with them. The generation is one that was read before the rooms, so that nothing is
 * stored that follows from rooms as they were before an import.
 */
export async function countDays(
  rooms: readonly CountedRoom[],
  days: number,
  generation: string,
  { now = Date.now(), until = Number.POSITIVE_INFINITY }: { now?: number; until?: number } = {},
): Promise<DayCount[]> {
  const starts = Array.from({ length: days }, (_, daysBefore) => startOfDay(now, daysBefore));
  const isFinal = (start: Date) => now - start.getTime() - dayLength >= settled;
  const counts = await readStored(starts.map(dayOf), generation);
  const progress = progressOf(generation, startOfDay(now), now);
  const final = new Map<string, number>();
  // What is counted but once comes first: today is counted by each call, which would leave no time for others.
  for (const start of [...starts.filter(isFinal), ...starts.filter((one) => !isFinal(one))]) {
    const day = dayOf(start);
    if (counts.has(day) || performance.now() >= until) continue;
    const count = await countDay(rooms, { start, isFinal: isFinal(start), until, progress });
    if (count === null) continue;
    counts.set(day, count);
    if (isFinal(start)) final.set(day, count);
  }
  if (final.size > 0) await store(final, generation, now);
  return starts.map((start) => ({ day: dayOf(start), messages: counts.get(dayOf(start)) ?? null })).reverse();
}

/** The day of UTC of a time. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

async function readStored(days: string[], generation: string): Promise<Map<string, number>> {
  const options = { limit: days.length, batchSize: days.length + 1 };
  const found = await dayCounts.find({ _id: { $in: days }, generation }, options).toArray();
  return new Map(found.map(({ _id, messages }) => [_id, messages]));
}

/** What goes when all counts are forgotten: the counts of another generation are not those of these messages. */
export const readGeneration = async (): Promise<string> => (await storedGeneration()) ?? (await beginGeneration());

const storedGeneration = async () => (await dayCounts.findOne({ _id: 'generation' }))?.generation;

async function beginGeneration(): Promise<string> {
  const generation = crypto.randomUUID();
  await dayCounts.updateOne({ _id: 'generation' }, { $set: { messages: 0, generation } }, { upsert: true });
  return generation;
}

/**
 * Two who count the same day at the same time find the same. What was forgotten meanwhile is not stored; where that
 * happens in this moment, nobody asks for its generation.
 */
async function store(counts: Map<string, number>, generation: string, now: number): Promise<void> {
  if ((await storedGeneration()) !== generation) return;
  const upserts = [...counts].map(([_id, messages]) => ({
    updateOne: { filter: { _id }, update: { $set: { messages, generation } }, upsert: true },
  }));
  await dayCounts.bulkWrite(upserts, { ordered: false });
  await dayCounts.deleteMany({ _id: { $lt: dayOf(startOfDay(now, mostDays)) } });
}

/** Counts of older days are forgotten. */
const mostDays = 400;

/** Forgets what was counted, as is due after messages have come that were sent earlier; every process forgets its own. */
export const forgetDayCounts = async (): Promise<void> => {
  await dayCounts.deleteMany({});
};

/** A place in a room, how many messages the room had counted before it, and the time from which on all after it were sent. */
type Boundary = { seq: number; before: number; time: number };

/** What this process has found, for its next call to go on with. */
type Progress = {
  generation: string;
  /** The beginning of today; what is found in its first hour is not kept. */
  today: number;
  /** Of each room the first message of today. */
  midnights: Map<string, Boundary>;
  /** Of each room the first message that is at or after the beginning of the final day which was counted last. */
  ends: Map<string, Boundary>;
  /** A day that was cut off: how many messages the rooms up to the one with this id got on it. */
  cutOff?: { day: string; messages: number; last: string };
};

/** So many rooms are remembered, more than anybody counts. */
const mostRemembered = 10_000;

let progress: Progress | undefined;

function progressOf(generation: string, start: Date, now: number): Progress {
  const today = now - start.getTime() >= settled ? start.getTime() : Number.NaN;
  if (progress?.generation !== generation) progress = { generation, today, midnights: new Map(), ends: new Map() };
  if (progress.today !== today) {
    progress.today = today;
    progress.midnights.clear();
    progress.ends.clear();
  }
  for (const map of [progress.midnights, progress.ends]) if (map.size > mostRemembered) map.clear();
  return progress;
}

type CountedDay = { start: Date; isFinal: boolean; until: number; progress: Progress };

/** How many messages the rooms got on a day; null where the time is over before. Of a final day, it is then gone on with. */
async function countDay(rooms: readonly CountedRoom[], counted: CountedDay): Promise<number | null> {
  const { start, isFinal, until, progress } = counted;
  const day = dayOf(start);
  const { messages = 0, last = '' } = isFinal && progress.cutOff?.day === day ? progress.cutOff : {};
  const active = rooms.filter(
    ({ _id, last_message_at }) => last_message_at !== null && last_message_at >= start && _id.toHexString() > last,
  );
  let count = messages;
  for (let at = 0; at < active.length; at += atATime) {
    if (performance.now() >= until) {
      if (isFinal && at > 0) progress.cutOff = { day, messages: count, last: (active[at - 1] as CountedRoom)._id.toHexString() };
      return null;
    }
    const some = active.slice(at, at + atATime).map((room) => countBetween(room, counted));
    for (const messages of await Promise.all(some)) count += messages;
  }
  return count;
}

async function countBetween(room: CountedRoom, { start, isFinal, progress }: CountedDay): Promise<number> {
  const key = room._id.toHexString();
  const end = new Date(start.getTime() + dayLength);
  const last = { seq: room.seq + 1, before: room.message_count, time: Number.POSITIVE_INFINITY };
  const find = async (time: Date, after: Boundary) => {
    const known = time.getTime() === progress.today ? progress.midnights.get(key) : undefined;
    const found = known ?? (await findBoundary(room._id, time, after));
    // Without a message after it, one that is being sent may be the first.
    if (found.seq === last.seq) return found;
    if (time.getTime() === progress.today) progress.midnights.set(key, found);
    // Nor is it certain which is the first while messages before and after it may still come.
    if (isFinal) progress.ends.set(key, found);
    return found;
  };
  const known = isFinal ? progress.ends.get(key) : undefined;
  const near = known && known.time >= end.getTime() ? known : last;
  const after = (room.last_message_at as Date) < end ? last : await find(end, near);
  const first = await find(start, after);
  return after.before - first.before - lostBetween(room, first.before, after.before);
}

/** How many messages with these ordinals were counted and never came, of the last hundred of those. */
const lostBetween = ({ lost = [] }: CountedRoom, after: number, to: number): number =>
  lost.filter((ordinal) => ordinal > after && ordinal <= to).length;

/**
 * The first message of a room at or after a time, among those before a place that is after it. From there it goes back
 * in growing steps, because most rooms have few messages of a day, and then bisects: thirty look-ups by `room, seq` find
 * one among a million.
 */
async function findBoundary(room: ObjectId, time: Date, after: Boundary): Promise<Boundary> {
  // Where nothing was counted before, nothing is on all earlier days.
  if (after.time === time.getTime() || after.before === 0) return { ...after, time: time.getTime() };
  let found = { ...after, time: time.getTime() };
  let low = 1;
  let high = after.seq - 1;
  const isBefore = async (seq: number) => {
    const next = await firstFrom(room, seq);
    if (next && next.seq < after.seq && next.created_at < time) {
      low = next.seq + 1;
      return true;
    }
    if (next && next.seq < found.seq) found = { ...found, seq: next.seq, before: next.ordinal - (next.is_folded ? 0 : 1) };
    high = seq - 1;
    return false;
  };
  for (let step = 1; low <= high && !(await isBefore(Math.max(1, after.seq - step))); ) step *= 4;
  while (low <= high) await isBefore(Math.floor((low + high) / 2));
  return found;
}

const firstFrom = (room: ObjectId, seq: number) =>
  messages.findOne(
    { room, seq: { $gte: seq } },
    { projection: { seq: 1, ordinal: 1, created_at: 1, is_folded: 1 }, sort: { seq: 1 } },
  );
