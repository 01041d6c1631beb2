import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import type { AuthoredMessage } from '../../../lib/messages/messages.ts';
import { findLive, forgetLive, keepLive, newLive } from '../../../lib/messages/streaming/live.ts';

it('a process keeps at most 1,000 streams in memory, the latest ones', () => {
  const ids = Array.from({ length: 1_005 }, () => new ObjectId());
  const replies = {} as Parameters<typeof newLive>[1];
  for (const _id of ids) keepLive(newLive({ _id, text: '', created_at: new Date() } as AuthoredMessage, replies));
  expect(ids.filter((id) => findLive(id) === undefined)).toEqual(ids.slice(0, 5));
  for (const id of ids) forgetLive(id);
});
