import type { ObjectId } from 'mongodb';
import { LruCache } from '../base/lru-cache.ts';
import { audit } from '../collections/service/audit.ts';
import type { Caller } from '../identity/caller.ts';
import { append, byCaller } from './append.ts';

/* An administrator who reads a room usually requests many pages. One entry a day is enough. */

/** For how long one entry covers further reading. */
const validityMs = 86_400_000;

/** The time of the last known entry, by administrator and room. */
const noted = new LruCache<number>(1_000);

/** Entries that are being written. Concurrent requests of one page all wait for the same entry. */
const running = new Map<string, Promise<void>>();

/** Records that an administrator reads a room as a non-member, before anything is shown. */
export async function noteReading({ _id, name }: { _id: ObjectId; name: string }, caller: Caller): Promise<void> {
  const key = `${caller.user._id.toHexString()} ${_id.toHexString()}`;
  if ((noted.get(key) ?? 0) > Date.now() - validityMs) return;
  const isRunning = running.get(key) ?? recordReading(key, { _id, name }, caller).finally(() => running.delete(key));
  running.set(key, isRunning);
  await isRunning;
}

async function recordReading(key: string, { _id, name }: { _id: ObjectId; name: string }, caller: Caller): Promise<void> {
  const since = new Date(Date.now() - validityMs);
  const filter = { 'actor.id': caller.user._id, action: 'room.read', 'target.id': _id, at: { $gt: since } };
  const found = await audit.findOne(filter, { sort: { _id: -1 }, projection: { at: 1 } });
  const target = { kind: 'room', id: _id, name } as const;
  const { at } = found ?? (await append({ action: 'room.read', target }, byCaller(caller)));
  noted.set(key, at.getTime());
}
