import type { ObjectId } from 'mongodb';
import { dayCounts } from '../collections/rooms/day-counts.ts';
import { messages } from '../collections/rooms/messages.ts';
import type { RoomDocument } from '../collections/rooms/rooms.ts';
import type { Counters } from '../rooms/counters.ts';

/*
 * Counts the messages of each day, without a write per message and without reading all messages.
 * The messages of a room are numbered in the order of their times. The first message of a day,
 * found by bisection, gives the number of messages before it. The count of a day is the difference
 * of two such numbers. Counts of past days are stored.
 */

/** The fields of a room that are needed to count its messages. */
export type CountedRoom = { _id: ObjectId } & Counters & Pick<RoomDocument, 'seq' | 'last_message_at'>;

/** The projection to a `CountedRoom`. */
export const countedRoomFields = {
  message_count: 1,
  lost: 1,
  lost_count: 1,
  last_deleted: 1,
  seq: 1,
  last_message_at: 1,
} as const;

/** A UTC day and its number of messages; null if it is not counted yet. */
export type DayCount = { day: string; messages: number | null };

const dayLength = 86_400_000;

/** The number of rooms that are read concurrently. */
const atATime = 20;

/**
 * Milliseconds after the end of a day until its count is final. Then late messages have arrived or
 * are known to be lost.
 */
const settled = 3_600_000;

/** The beginning of the UTC day that is `daysBefore` days before that of `time`. */
export const startOfDay = (time: number, daysBefore = 0): Date =>
  new Date(Math.floor(time / dayLength) * dayLength - daysBefore * dayLength);

/**
 * Counts the messages of these rooms on each of the last `days` days, today last. The rooms must be
 * ordered by id. Counting ends at `until`, a time of `performance.now()`. Days that are not counted
 * by then are null, and the next call in this process continues with them. The generation must be
 * read before the rooms, so that counts from before an import are not stored.
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
  // Final days come first, because each call counts today again, which would leave no time for
  // them.
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

/** The UTC day of a time, e.g. `2026-01-31`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

async function readStored(days: string[], generation: string): Promise<Map<string, number>> {
  const options = { limit: days.length, batchSize: days.length + 1 };
  const found = await dayCounts.find({ _id: { $in: days }, generation }, options).toArray();
  return new Map(found.map(({ _id, messages }) => [_id, messages]));
}

/**
 * The generation of the counts. It changes when all counts are discarded, e.g. after an import;
 * counts of another generation are not valid.
 */
export const readGeneration = async (): Promise<string> => (await storedGeneration()) ?? (await beginGeneration());

const storedGeneration = async () => (await dayCounts.findOne({ _id: 'generation' }))?.generation;

async function beginGeneration(): Promise<string> {
  const generation = crypto.randomUUID();
  await dayCounts.updateOne({ _id: 'generation' }, { $set: { messages: 0, generation } }, { upsert: true });
  return generation;
}

/**
 * Concurrent counts of the same day are equal. Counts of an outdated generation are not stored. If
 * the generation changes during this write, the stored counts carry the old one and are ignored.
 */
async function store(counts: Map<string, number>, generation: string, now: number): Promise<void> {
  if ((await storedGeneration()) !== generation) return;
  const upserts = [...counts].map(([_id, messages]) => ({
    updateOne: { filter: { _id }, update: { $set: { messages, generation } }, upsert: true },
  }));
  await dayCounts.bulkWrite(upserts, { ordered: false });
  await dayCounts.deleteMany({ _id: { $lt: dayOf(startOfDay(now, mostDays)) } });
}

/** Counts of days before this many days are deleted. */
const mostDays = 400;

/**
 * Discards all counts. This is necessary after messages with earlier times were added. Each process
 * discards its own progress.
 */
export const forgetDayCounts = async (): Promise<void> => {
  await dayCounts.deleteMany({});
};

/**
 * A place in a room, the number of messages before it, and a time. All messages from this place on
 * were sent at that time or later.
 */
type Boundary = { seq: number; before: number; time: number };

/** The boundaries that this process has found, for its next call. */
type Progress = {
  generation: string;
  /** The beginning of today. Boundaries that are found in the first hour of a day are not kept. */
  today: number;
  /** The first message of today in each room. */
  midnights: Map<string, Boundary>;
  /**
   * In each room, the first message at or after the beginning of the final day that was counted
   * last.
   */
  ends: Map<string, Boundary>;
  /**
   * A day whose count was interrupted: the number of messages in the rooms up to the one with the
   * id `last`.
   */
  cutOff?: { day: string; messages: number; last: string };
};

/** The most rooms in the progress; services have fewer. */
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

/**
 * Counts the messages of the rooms on a day; null if the time is up. The next call continues the
 * count of a final day.
 */
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
    // If no message follows, one that is being sent may be the first.
    if (found.seq === last.seq) return found;
    if (time.getTime() === progress.today) progress.midnights.set(key, found);
    // Messages before and after it may still arrive, so the first one is not certain.
    if (isFinal) progress.ends.set(key, found);
    return found;
  };
  const known = isFinal ? progress.ends.get(key) : undefined;
  const near = known && known.time >= end.getTime() ? known : last;
  const after = (room.last_message_at as Date) < end ? last : await find(end, near);
  const first = await find(start, after);
  return after.before - first.before - lostBetween(room, first.before, after.before);
}

/**
 * The number of lost messages with these ordinals: they were counted, but never stored. The room
 * records its last hundred.
 */
const lostBetween = ({ lost = [] }: CountedRoom, after: number, to: number): number =>
  lost.filter((ordinal) => ordinal > after && ordinal <= to).length;

/**
 * The first message of a room at or after a time, before the place `after`. It searches backwards
 * in growing steps, because most rooms have few messages a day, and then bisects. Thirty look-ups
 * by `room, seq` find one message among a million.
 */
async function findBoundary(room: ObjectId, time: Date, after: Boundary): Promise<Boundary> {
  // If the count before is 0, all earlier days have 0 messages.
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
