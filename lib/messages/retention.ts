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
 * Messages that are older than their room keeps them are deleted as anybody's are: each leaves its place and an event, so
 * that the feed tells of it. A room notes the place up to which that is done. Those whose author is held are passed over: the
 * room notes the first of them, and its sweep begins there again when one of these authors is no longer held.
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

/** The place after which a room is swept, and whether it is noted that something before that was kept. */
type Beginning = { from: number; hasKept: boolean };

/** Where the sweep of a room begins: at the place of the last time, or of the first message that was kept, if its author may be free. */
async function findBeginning({ _id, swept_seq = 0, held_seq, held_by = [] }: SweptRoom): Promise<Beginning> {
  if (held_seq === undefined) return { from: swept_seq, hasKept: false };
  if ((await findHeld(held_by)).size === held_by.length) return { from: swept_seq, hasKept: true };
  const from = Math.min(swept_seq, held_seq - 1);
  // In one write: a process that dies here leaves either what was noted, or the place from which all is found again.
  await rooms.updateOne({ _id, held_seq }, { $set: { swept_seq: from }, $unset: { held_seq: '', held_by: '' } });
  return { from, hasKept: false };
}

/** Those among these accounts that are held, deleted ones included. */
async function findHeld(accounts: ObjectId[]): Promise<Set<string>> {
  if (accounts.length === 0) return new Set();
  const found = await users.unscoped.find({ _id: { $in: accounts }, is_held: true }, { projection: { _id: 1 } }).toArray();
  return new Set(found.map(({ _id }) => _id.toHexString()));
}

const neverSwept = { $or: [{ swept_seq: { $exists: false } }, { swept_seq: 0 }] };

/** Sweeps a batch of a room after a place; returns how many it has deleted, and where to go on if there may be more. */
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
  // A hold of the room that has come meanwhile ends its sweep, and so does another sweep that has gone on, or begun again.
  const where = { _id: room, is_held: { $ne: true }, ...(from === 0 ? neverSwept : { swept_seq: from }) };
  const noted =
    last !== undefined &&
    (await rooms.updateOne(where, { $set: { swept_seq: last, ...(first !== undefined && { held_seq: first }) }, ...note }));
  const goesOn = noted && noted.matchedCount > 0 && firstKept === -1 && some.length === batchSize;
  return { count: due.length, next: goesOn ? last : undefined, isKept: kept.length > 0 };
}
