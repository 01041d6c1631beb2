import { expect, it } from 'vitest';
import type { ChunkFrame, ReadFrame, TypingNotice } from '../src/contract.ts';
import { addNotice, type Notice } from '../src/notices.ts';

const chunk = (message: string, at: number, text: string): ChunkFrame => ({
  type: 'chunk',
  room: { $oid: 'room' },
  message: { $oid: message },
  at,
  text,
});

const read = (room: string, changes: Partial<ReadFrame>): ReadFrame => ({
  type: 'read',
  room: { $oid: room },
  last_read: 1,
  ...changes,
});

const typing = (at: number): TypingNotice => ({
  type: 'typing',
  room: { $oid: 'room' },
  user: { $oid: `user ${at}` },
  username: `user${at}`,
});

const added = (...notices: Notice[]) => {
  const waiting: Notice[] = [];
  for (const notice of notices) addNotice(waiting, notice);
  return waiting;
};

it('chunks that wait for a slow iterator are merged into one with the latest text', () => {
  const waiting = added(chunk('a', 0, 'An 🦉'), chunk('b', 0, 'Other'), chunk('a', 3, '🦉 sleeps'), chunk('a', 5, 'sleeps well'));
  expect(waiting).toEqual([chunk('b', 0, 'Other'), chunk('a', 0, 'An 🦉 sleeps well')]);
});

it.each([
  ['after a gap', 9],
  ['from an earlier place', 2],
])('a chunk %s replaces the one that waits', (_, at) => {
  expect(added(chunk('a', 3, 'text'), chunk('a', at, 'more'))).toEqual([chunk('a', at, 'more')]);
});

it('the oldest of more than 100 notices is dropped, never the latest', () => {
  const waiting = added(...Array.from({ length: 150 }, (_, at) => chunk(`message ${at}`, 0, 'text')));
  expect(waiting).toHaveLength(100);
  expect(waiting.at(-1)).toMatchObject({ message: { $oid: 'message 149' } });
});

it('the changes of a room since the last look are one notice', () => {
  const waiting = added(
    read('a', { is_muted: true, notify_of: 'all' }),
    read('b', { is_favourite: true }),
    read('a', { last_read: 2, notify_of: null }),
  );
  expect(waiting).toEqual([read('b', { is_favourite: true }), read('a', { last_read: 2, is_muted: true, notify_of: null })]);
});

it('notices that are out of date soon are dropped before others', () => {
  const waiting = added(read('a', { is_muted: true }), ...Array.from({ length: 150 }, (_, at) => typing(at)));
  expect(waiting).toHaveLength(100);
  expect(waiting[0]).toEqual(read('a', { is_muted: true }));
  expect(waiting.at(-1)).toEqual(typing(149));
});
