import type { ObjectId } from 'mongodb';
import { describeError, log } from '../base/log.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { singleFlight } from '../database/batching.ts';
import { config } from '../settings/config.ts';

/** The number of replies of each message, by the message's id in hexadecimal. */
export type ReplyCounts = ReadonlyMap<string, number>;

type Parent = Pick<MessageDocument, '_id' | 'room' | 'has_replies' | 'has_deleted_replies' | 'counted_replies'>;

/** The most replies after the stored count, before it is updated. */
const mostUncounted = 100;

/**
 * Counts the replies to these messages of a room, without deleted ones. The index counts them, so
 * the number is exact whichever process died. Each message also stores a count of its replies,
 * including deleted ones, up to a place before which no new reply can arrive. So a long thread
 * costs as little as a short one.
 */
export async function countReplies(room: ObjectId, parents: Parent[]): Promise<ReplyCounts> {
  const asked = parents.filter(({ has_replies }) => has_replies);
  if (asked.length === 0) return new Map();
  const key = asked.map(({ _id, counted_replies: counted }) => `${_id} ${counted?.seq}`).join();
  return sharedCounts(`${room} ${key}`, () => readCounts(room, asked));
}

const sharedCounts = singleFlight<ReplyCounts>();

async function readCounts(room: ObjectId, asked: Parent[]): Promise<ReplyCounts> {
  const unnoted = asked.filter(({ counted_replies }) => !counted_replies).map(({ _id }) => _id);
  const withDeleted = asked.filter((parent) => parent.has_deleted_replies).map(({ _id }) => _id);
  const [deleted, counts, ...others] = await Promise.all([
    withDeleted.length > 0 ? countAll(room, withDeleted, { is_deleted: true }) : new Map<string, number>(),
    unnoted.length > 0 ? countAll(room, unnoted) : new Map<string, number>(),
    ...asked.map(async (parent) => {
      const { _id, counted_replies: counted } = parent;
      if (counted) return [_id.toHexString(), counted.count + (await countAfter(parent, counted.seq))] as const;
    }),
  ]);
  const all = new Map([...counts, ...others.filter((one) => one !== undefined)]);
  for (const parent of asked) {
    const known = parent.counted_replies?.count ?? 0;
    if ((all.get(parent._id.toHexString()) ?? 0) - known > mostUncounted) void note(parent);
  }
  for (const [id, count] of deleted) all.set(id, Math.max(0, (all.get(id) ?? 0) - count));
  return all;
}

// The index alone is enough: tombstones are not replies.
async function countAll(room: ObjectId, ids: ObjectId[], which: { is_deleted?: true } = {}): Promise<Map<string, number>> {
  const counts = await messages.unscoped
    .aggregate<{ _id: ObjectId; count: number }>([
      { $match: { room, thread: { $in: ids }, ...which } },
      { $group: { _id: '$thread', count: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(counts.map(({ _id, count }) => [_id.toHexString(), count]));
}

const countAfter = ({ room, _id }: Parent, seq: number, last = Number.MAX_SAFE_INTEGER): Promise<number> =>
  messages.unscoped.countDocuments({ room, thread: _id, seq: { $gt: seq, $lte: last } });

const beingNoted = new Set<string>();

/**
 * Stores the number of replies up to the last one after which no late message can arrive. Nobody
 * waits for this. If it fails, the next reader tries again.
 */
async function note(parent: Parent): Promise<void> {
  const { room, _id, counted_replies: counted = { count: 0, seq: 0 } } = parent;
  const id = _id.toHexString();
  if (beingNoted.has(id)) return;
  beingNoted.add(id);
  try {
    const settled = new Date(Date.now() - 2 * config.feedPatience);
    const where = { room, thread: _id, seq: { $gt: counted.seq }, created_at: { $lte: settled } };
    const last = await messages.unscoped.findOne(where, { sort: { seq: -1 }, projection: { seq: 1 } });
    if (!last) return;
    const count = counted.count + (await countAfter(parent, counted.seq, last.seq));
    await messages.updateOne({ _id }, { $set: { counted_replies: { count, seq: last.seq } } });
  } catch (error) {
    log('debug', 'the count of replies was not noted', { error: describeError(error) });
  } finally {
    beingNoted.delete(id);
  }
}
