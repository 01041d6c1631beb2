import type { ObjectId } from 'mongodb';
import { messages } from '../collections/messages.ts';
import { type RoomDocument, rooms } from '../collections/rooms.ts';
import { concurrently } from '../concurrently.ts';
import { config } from '../config.ts';
import { commandLine } from '../identity/caller.ts';
import { daysKept } from '../rooms/details.ts';
import { deleteMessage } from './edit.ts';

/*
 * Messages that are older than their room keeps them are deleted as anybody's are: each leaves its place and an event, so
 * that the feed tells of it. A room notes the place up to which that is done.
 */

/** How many messages are looked at between two looks at the clock, and how many are deleted at the same time. */
const batchSize = 100;
const atOnce = 4;

type SweepOptions = {
  /** The time now, in milliseconds. */
  now?: number;
  /** When to end, on the clock of `performance.now()`: what is left is for the next sweep. */
  until?: number;
  /** Waits after a batch that has taken so many milliseconds, so that others get their turn. */
  pause?: (milliseconds: number) => Promise<unknown>;
};

/** Deletes the messages that are older than they are kept; returns how many those were. */
export async function sweepMessages({
  now = Date.now(),
  until = Number.POSITIVE_INFINITY,
  pause,
}: SweepOptions = {}): Promise<number> {
  const mayEnd = config.retentionDays > 0 ? {} : { retention_days: { $gt: 0 } };
  const found = rooms.find<SweptRoom>(
    { ...mayEnd, is_held: { $ne: true } },
    { projection: { retention_days: 1, swept_seq: 1, seq: 1 }, batchSize },
  );
  let deleted = 0;
  for await (const room of found) {
    const before = new Date(now - (daysKept(room) ?? 0) * day);
    for (let from = room.swept_seq ?? 0; from < room.seq; ) {
      const began = performance.now();
      if (began > until) return deleted;
      const { count, next } = await sweepSome(room._id, from, before);
      deleted += count;
      if (next === undefined) break;
      from = next;
      if (count > 0) await pause?.(performance.now() - began);
    }
  }
  return deleted;
}

type SweptRoom = Pick<RoomDocument, '_id' | 'seq' | 'retention_days' | 'swept_seq'>;
const day = 86_400_000;

/** Sweeps a batch of a room after a place; returns how many it has deleted, and where to go on if there may be more. */
async function sweepSome(room: ObjectId, from: number, before: Date): Promise<{ count: number; next: number | undefined }> {
  const projection = { seq: 1, created_at: 1, deleted_at: 1 };
  const some = await messages.find({ room, seq: { $gt: from } }, { projection, sort: { seq: 1 }, limit: batchSize }).toArray();
  const firstKept = some.findIndex(({ created_at }) => created_at >= before);
  const old = firstKept === -1 ? some : some.slice(0, firstKept);
  const due = old.filter(({ deleted_at }) => !deleted_at);
  await concurrently(due, atOnce, ({ _id }) => deleteMessage(_id, commandLine));
  const last = old.at(-1)?.seq;
  // A hold that has come meanwhile ends the sweep of the room.
  const noted =
    last !== undefined && (await rooms.updateOne({ _id: room, is_held: { $ne: true } }, { $max: { swept_seq: last } }));
  const goesOn = noted && noted.matchedCount > 0 && firstKept === -1 && some.length === batchSize;
  return { count: due.length, next: goesOn ? last : undefined };
}
