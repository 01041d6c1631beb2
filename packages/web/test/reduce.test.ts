import { expect, it } from 'vitest';
import type { Event } from '../src/service/api.ts';
import { reduce } from '../src/store/reduce.ts';

const eventOf = (type: Event['type']) => ({ type, data: null }) as Event;

it('the number of members is stale after each change of them, and not after a change of a role', () => {
  const isStale = (type: Event['type']) => reduce([eventOf(type)]).isCountStale;
  const changes = ['member.joined', 'member.left', 'member.kicked', 'member.banned'] as const;
  expect(changes.map(isStale)).toEqual([true, true, true, true]);
  expect([isStale('member.changed'), isStale('room.changed'), isStale('message.created')]).toEqual([false, false, false]);
});
