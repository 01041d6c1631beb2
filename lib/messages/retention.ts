import type { ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { concurrently } from '../base/concurrently.ts';
import { users } from '../collections/accounts/users.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { commandLine } from '../identity/caller.ts';
import { daysKept } from '../rooms/details.ts';
import { config } from '../settings/config.ts';
import { deleteMessage } from './edit.ts';

/*
 * Deletes messages that are older than their room's retention period. Each deletion leaves its
 * place and an event in the feed, like any other. A room stores the last place that its sweep has
 * reached. Messages of an author on legal hold are skipped. The room stores the first of them, and
 * its sweep restarts there when one of these authors is released.
 */

/**
 * The number of messages between two checks of the clock, and the number of concurrent deletions.
 */
const batchSize = 100;
const atOnce = 4;

type SweepOptions = {
  /** The time now, in milliseconds. */
  now?: number;
  /** When to stop, as a time of `performance.now()`. The next sweep does the rest. */
  until?: number;
  /** Pauses after a batch that took this many milliseconds, so that other work can proceed. */
  pause?: (milliseconds: number) => Promise<unknown>;
};

/** Deletes the messages beyond their retention period, and returns their number. */
export async function sweepMessages({
  now = Date.now(),
  until = Number.POSITIVE_INFINITY,
  pause,
}: SweepOptions = {}): Promise<number> {
  const mayEnd = config.retentionDays > 0 ? {} : { retention_days: { $gt: 0 } };
  const found = rooms.find<SweptRoom>(
    { ...mayEnd, is_held: { $ne: true } },
    { projection: { retention_days: 1, swept_seq: 1, held_seq: 1, held_by: 1, seq: 1 }, batchSize },
  );
  let deleted = 0;
  for await (const room of found) {
    const before = new Date(now - (daysKept(room) ?? 0) * day);
    let { from, hasKept } = await findBeginning(room);
    while (from < room.seq) {
      const began = performance.now();
      if (began > until) return deleted;
      const { count, next, isKept } = await sweepSome(room._id, from, { before, hasKept });
      hasKept ||= isKept;
      deleted += count;
      if (next === undefined) break;
      from = next;
      if (count > 0 || isKept) await pause?.(performance.now() - began);
    }
  }
  return deleted;
}

type SweptMessage = Pick<MessageDocument, '_id' | 'seq' | 'user' | 'created_at' | 'deleted_at'>;
type SweptRoom = Pick<RoomDocument, '_id' | 'seq' | 'retention_days' | 'swept_seq' | 'held_seq' | 'held_by'>;
const day = 86_400_000;

/** The place after which a sweep begins, and whether an earlier message is recorded as kept. */
type Beginning = { from: number; hasKept: boolean };

/**
 * Finds the start of a sweep of a room. It is the end of the last sweep, or the first kept message
 * if a hold on an author was released since.
 */
async function findBeginning({ _id, swept_seq = 0, held_seq, held_by = [] }: SweptRoom): Promise<Beginning> {
  if (held_seq === undefined) return { from: swept_seq, hasKept: false };
  if ((await findHeld(held_by)).size === held_by.length) return { from: swept_seq, hasKept: true };
  const from = Math.min(swept_seq, held_seq - 1);
  // This is one write. If the process dies here, either the record remains, or the place from which
  // all of it is found again.
  await rooms.updateOne({ _id, held_seq }, { $set: { swept_seq: from }, $unset: { held_seq: '', held_by: '' } });
  return { from, hasKept: false };
}

/** The accounts that are on legal hold, including deleted ones. */
async function findHeld(accounts: ObjectId[]): Promise<Set<string>> {
  if (accounts.length === 0) return new Set();
  const found = await users.unscoped.find({ _id: { $in: accounts }, is_held: true }, { projection: { _id: 1 } }).toArray();
  return new Set(found.map(({ _id }) => _id.toHexString()));
}

const neverSwept = { $or: [{ swept_seq: { $exists: false } }, { swept_seq: 0 }] };

/**
 * Sweeps one batch of a room after a place. Returns the number of deleted messages, and where to
 * continue if there may be more.
 */
async function sweepSome(
  room: ObjectId,
  from: number,
  { before, hasKept }: { before: Date; hasKept: boolean },
): Promise<{ count: number; next: number | undefined; isKept: boolean }> {
  const projection = { seq: 1, user: 1, created_at: 1, deleted_at: 1 };
  const options = { projection, sort: { seq: 1 as const }, limit: batchSize };
  const some: SweptMessage[] = await messages.find({ room, seq: { $gt: from } }, options).toArray();
  const firstKept = some.findIndex(({ created_at }) => created_at >= before);
  const old = firstKept === -1 ? some : some.slice(0, firstKept);
  const isDue = old.filter(({ deleted_at }) => !deleted_at);
  const held = await findHeld(distinct(isDue.map(({ user }) => user)));
  const isHeld = ({ user }: SweptMessage) => held.has(user.toHexString());
  const due = isDue.filter((message) => !isHeld(message));
  await concurrently(due, atOnce, ({ _id }) => deleteMessage(_id, commandLine));
  const last = old.at(-1)?.seq;
  const kept = isDue.filter(isHeld);
  const first = hasKept ? undefined : kept[0]?.seq;
  const note = kept.length > 0 && { $addToSet: { held_by: { $each: distinct(kept.map(({ user }) => user)) } } };
  // The sweep ends if the room was put on hold in the meantime, or if another sweep has moved the
  // place.
  const where = { _id: room, is_held: { $ne: true }, ...(from === 0 ? neverSwept : { swept_seq: from }) };
  const noted =
    last !== undefined &&
    (await rooms.updateOne(where, { $set: { swept_seq: last, ...(first !== undefined && { held_seq: first }) }, ...note }));
  const goesOn = noted && noted.matchedCount > 0 && firstKept === -1 && some.length === batchSize;
  return { count: due.length, next: goesOn ? last : undefined, isKept: kept.length > 0 };
}
