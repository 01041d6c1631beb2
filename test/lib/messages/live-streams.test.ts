import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import type { AuthoredMessage } from '../../../lib/messages/messages.ts';
import { countChunk, findLive, forgetLive, keepLive, type LiveStream, newLive } from '../../../lib/messages/streaming/live.ts';

/** Keeps this many new streams in memory. */
function fill(length: number): ObjectId[] {
  const ids = Array.from({ length }, () => new ObjectId());
  const replies = {} as Parameters<typeof newLive>[1];
  for (const _id of ids) keepLive(newLive({ _id, text: '', created_at: new Date() } as AuthoredMessage, replies));
  return ids;
}

it('a process keeps at most 1,000 streams in memory, the latest ones', () => {
  const ids = fill(1_005);
  expect(ids.filter((id) => findLive(id) === undefined)).toEqual(ids.slice(0, 5));
  for (const id of ids) forgetLive(id);
});

it('a stream that is used stays in memory longer than others', () => {
  const ids = fill(1_000);
  countChunk(findLive(ids[0] as ObjectId) as LiveStream);
  const more = fill(1);
  expect(ids.filter((id) => findLive(id) === undefined)).toEqual([ids[1]]);
  for (const id of [...ids, ...more]) forgetLive(id);
});
