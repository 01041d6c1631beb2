import type { ObjectId } from 'mongodb';
import { dayCounts } from '../collections/day-counts.ts';
import { messages } from '../collections/messages.ts';
import type { RoomDocument } from '../collections/rooms.ts';
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
 * How many messages these rooms got on each of the last `days` days, the oldest first and today last. It ends at the
 * time `until`, of `performance.now()`: days that are not counted by then are null, and found counted so far by the next
 * call.
 */
export async function countDays(
  rooms: readonly CountedRoom[],
  days: number,
  { now = Date.now(), until = Number.POSITIVE_INFINITY }: { now?: number; until?: number } = {},
): Promise<DayCount[]> {
  const starts = Array.from({ length: days }, (_, daysBefore) => startOfDay(now, daysBefore));
  const stored = await readStored(starts.map(dayOf));
  // Of each room the first message that is after the day which is being counted, where that is known.
  const ends = new Map<string, Boundary>();
  const counts: DayCount[] = [];
  for (const start of starts) {
    const day = dayOf(start);
    const end = new Date(start.getTime() + dayLength);
    let count = stored.get(day) ?? null;
    if (count === null && performance.now() < until) {
      count = await countDay(rooms, { start, end, ends, until });
      if (count !== null && now - end.getTime() >= settled) await store(day, count);
    }
    counts.unshift({ day, messages: count });
  }
  return counts;
}

/** The day of UTC of a time. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

async function readStored(days: string[]): Promise<Map<string, number>> {
  const found = await dayCounts.find({ _id: { $in: days } }, { limit: days.length, batchSize: days.length + 1 }).toArray();
  return new Map(found.map(({ _id, messages }) => [_id, messages]));
}

/** Two who count the same day at the same time find the same. */
async function store(day: string, count: number): Promise<void> {
  await dayCounts.updateOne({ _id: day }, { $set: { messages: count } }, { upsert: true });
  await dayCounts.deleteMany({ _id: { $lt: dayOf(startOfDay(Date.parse(day), mostDays)) } });
}

/** Counts of older days are forgotten. */
const mostDays = 400;

/** Forgets what was counted, as is due after messages have come that were sent earlier. */
export const forgetDayCounts = async (): Promise<void> => {
  await dayCounts.deleteMany({});
};

/** A place in a room, how many messages the room had counted before it, and the time from which on all after it were sent. */
type Boundary = { seq: number; before: number; time: number };

type CountedDay = { start: Date; end: Date; ends: Map<string, Boundary>; until: number };

async function countDay(rooms: readonly CountedRoom[], { start, end, ends, until }: CountedDay): Promise<number | null> {
  const active = rooms.filter(({ last_message_at }) => last_message_at !== null && last_message_at >= start);
  const countIn = async (room: CountedRoom) => {
    const key = room._id.toHexString();
    const last = { seq: room.seq + 1, before: room.message_count, time: Number.POSITIVE_INFINITY };
    const after = (room.last_message_at as Date) < end ? last : await findBoundary(room._id, end, ends.get(key) ?? last);
    const first = await findBoundary(room._id, start, after);
    ends.set(key, first);
    return after.before - first.before - lostBetween(room, first.before, after.before);
  };
  let count = 0;
  for (let at = 0; at < active.length; at += atATime) {
    if (performance.now() >= until) return null;
    for (const messages of await Promise.all(active.slice(at, at + atATime).map(countIn))) count += messages;
  }
  return count;
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
  if (after.time === time.getTime()) return after;
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
