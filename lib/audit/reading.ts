import type { ObjectId } from 'mongodb';
import { audit } from '../collections/audit.ts';
import { singleFlight } from '../database/batching.ts';
import type { Caller } from '../identity/caller.ts';
import { LruCache } from '../lru-cache.ts';
import { append, byCaller } from './append.ts';

/*
 * An administrator who reads a room reads on: one entry a day says so, and not one for each page.
 */

/** For how many milliseconds an entry stands for what is read after it. */
const validity = 86_400_000;

/** When this process last knew of an entry, by the administrator and the room. */
const noted = new LruCache<number>(1_000);

// Several requests of one page come at the same time.
const onlyOnce = singleFlight<void>();

/** Records, before anything is shown, that an administrator reads in a room without being a member. */
export async function noteReading({ _id, name }: { _id: ObjectId; name: string }, caller: Caller): Promise<void> {
  const key = `${caller.user._id.toHexString()} ${_id.toHexString()}`;
  const isNoted = () => (noted.get(key) ?? 0) > Date.now() - validity;
  if (isNoted()) return;
  await onlyOnce(key, async () => {
    if (isNoted()) return;
    const since = new Date(Date.now() - validity);
    const filter = { 'actor.id': caller.user._id, action: 'room.read', 'target.id': _id, at: { $gt: since } };
    const found = await audit.findOne(filter, { sort: { _id: -1 }, projection: { at: 1 } });
    const target = { kind: 'room', id: _id, name } as const;
    const { at } = found ?? (await append({ action: 'room.read', target }, byCaller(caller)));
    noted.set(key, at.getTime());
  });
}
