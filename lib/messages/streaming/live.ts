import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { limits } from '../../api/limits.ts';
import { withDeadline } from '../../base/deadline.ts';
import { tooManyRequests } from '../../base/errors.ts';
import { describeError, log } from '../../base/log.ts';
import { messages } from '../../collections/rooms/messages.ts';
import { carrier } from '../../notices/carrier.ts';
import { foreseeConnected, notify } from '../../notices/notices.ts';
import type { AuthoredMessage } from '../messages.ts';
import type { ReplyCounts } from '../replies.ts';
import type { StreamText } from './chunks.ts';
import { indexAfter } from './start.ts';

/*
 * The texts that stream through this process. Connected clients get each chunk, and the database
 * gets the text once a second. A process that dies loses up to a second of text. Clients keep what
 * they send until the end, and send it again: a chunk states the position that it continues.
 */

/** The shortest time between two writes of a message, in milliseconds. */
const storeEveryMs = 1_000;

/** The most chunks of a message per second. */
const chunksPerSecond = 10;

/** The milliseconds after which a silent stream leaves the memory. Its text is stored by then. */
const idleMs = 120_000;

/** The most streams in memory: about 40 MB. The next chunk of another one reads its message. */
const mostLive = 1_000;

/** A message that streams through this process. Times are by `performance.now()`. */
export type LiveStream = StreamText & {
  /** The message as it was read, with its author. */
  message: AuthoredMessage;
  replies: ReplyCounts;
  /** The length in the database now, and before the last write. */
  stored: number;
  storedBefore: number;
  storedAt: number;
  /** The time of the last write, by the database's clock. */
  writtenAt: Date;
  usedAt: number;
  /** The time at which the rate of chunks is unused again. */
  freeAt: number;
  storing: Promise<void> | undefined;
};

/** The least recently used first. */
const live = new Map<string, LiveStream>();

/** The stream of a message in this process, if there is one. */
export const findLive = (id: ObjectId): LiveStream | undefined => live.get(id.toHexString());

/** Makes a stream from a message as it is stored. */
export function newLive(message: AuthoredMessage, replies: ReplyCounts): LiveStream {
  const length = message.streaming?.length ?? 0;
  const writtenAt = message.streaming?.stored_at ?? message.created_at;
  const now = performance.now();
  return {
    ...{ message, replies, length, text: message.text, stored: length, storedBefore: 0, freeAt: 0, usedAt: now },
    storedAt: now - Math.max(0, Date.now() - writtenAt.getTime()),
    writtenAt,
    storing: undefined,
  };
}

/**
 * Keeps a stream in this process. Forgets streams that are silent and, beyond the limit, the stored
 * ones that were least recently used.
 */
export function keepLive(stream: LiveStream): void {
  const now = performance.now();
  for (const [id, { usedAt, storing }] of live) if (!storing && now - usedAt > idleMs) live.delete(id);
  for (const [id, { storing }] of live) {
    if (live.size < mostLive) break;
    if (!storing) live.delete(id);
  }
  live.set(stream.message._id.toHexString(), stream);
}

/** Forgets a stream that has ended. */
export const forgetLive = (id: ObjectId): void => void live.delete(id.toHexString());

/**
 * Counts a chunk: 429 above the rate. A function forgets everything between requests, so it stores
 * each chunk, and accepts one a second.
 */
export function countChunk(stream: LiveStream): void {
  const now = performance.now();
  stream.usedAt = now;
  const id = stream.message._id.toHexString();
  if (live.get(id) === stream && live.delete(id)) live.set(id, stream);
  if (carrier) {
    if (now - stream.storedAt < storeEveryMs) throw tooManyRequests(1);
    return;
  }
  stream.freeAt = Math.max(stream.freeAt, now) + 1_000 / chunksPerSecond;
  if (stream.freeAt - now <= 1_000) return;
  stream.freeAt -= 1_000 / chunksPerSecond;
  throw tooManyRequests(1);
}

/** Replaces the text of a stream by a longer one: notifies connected clients, and stores it. */
export async function accept(stream: LiveStream, { text, length }: StreamText): Promise<void> {
  Object.assign(stream, { text, length });
  if (carrier) {
    await store(stream);
    if (stream.stored < length) throw tooManyRequests(1);
  }
  tellReaders(stream);
  if (carrier) return;
  stream.storing ??= storeSoon(stream).finally(() => {
    stream.storing = undefined;
  });
}

/**
 * Each frame repeats the text since the write before the last one. So a client that has read the
 * message can continue with any frame, and a lost frame does not matter.
 */
function tellReaders({ message: { _id, room, user }, text, storedBefore: at }: LiveStream): void {
  const chunk = {
    type: 'chunk',
    room: room.toHexString(),
    user: user.toHexString(),
    message: _id.toHexString(),
    at,
    text: text.slice(indexAfter(text, at)),
  } as const;
  notify(chunk, foreseeConnected());
}

async function storeSoon(stream: LiveStream): Promise<void> {
  while (stream.stored < stream.length && findLive(stream.message._id) === stream) {
    await delay(Math.max(0, stream.storedAt + storeEveryMs - performance.now()), undefined, { ref: false });
    await store(stream).catch((error) => log('error', 'a streamed text was not stored', { error: describeError(error) }));
  }
}

/**
 * Stores the text, unless another process has stored a text of this message in the meantime. Then
 * the next write is a second later. If the stream has ended, or the texts differ, this process
 * forgets it.
 */
async function store(stream: LiveStream): Promise<void> {
  const { text, length, message, writtenAt } = stream;
  stream.storedAt = performance.now();
  const _id = message._id;
  await withDeadline(performance.now() + limits.requestTime, async () => {
    const written = await messages.findOneAndUpdate(
      { _id, deleted_at: null, 'streaming.stored_at': writtenAt },
      { $set: { text, 'streaming.length': length }, $currentDate: { 'streaming.stored_at': true } },
      { returnDocument: 'after', projection: { streaming: 1 } },
    );
    const found = written ?? (await messages.findOne({ _id, deleted_at: null }, { projection: { text: 1, streaming: 1 } }));
    if (!found?.streaming || !(written || text.startsWith(found.text))) {
      // A newer stream of this message may have taken its place.
      if (findLive(_id) === stream) forgetLive(_id);
    } else
      Object.assign(stream, {
        stored: found.streaming.length,
        storedBefore: stream.stored,
        writtenAt: found.streaming.stored_at,
      });
  });
}

/** Stores all texts of this process now, before it ends. */
export async function storeLive(): Promise<void> {
  const all = [...live.values()].filter(({ stored, length }) => stored < length);
  await Promise.all(all.map((stream) => store(stream).catch(() => undefined)));
}
