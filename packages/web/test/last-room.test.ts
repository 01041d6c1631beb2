import { describe, expect, it } from 'vitest';
import { chooseRoom } from '../src/store/rooms/choose-room.ts';

const room = (id: string, more: object = {}) => ({ id, unread: 0, mentions: 0, isDirect: false, isMuted: false, ...more });

describe('the room that opens first', () => {
  it.each([
    ['is the one that was opened last', [room('a', { mentions: 3, unread: 3 }), room('b')], 'b', 'b'],
    [
      'is the first with something for the reader on a new device',
      [room('a', { unread: 9 }), room('b', { mentions: 1, unread: 1 })],
      undefined,
      'b',
    ],
    [
      'is a conversation with something unread before other unread rooms',
      [room('a', { unread: 9 }), room('b', { isDirect: true, unread: 1 })],
      undefined,
      'b',
    ],
    ['is the first unread one if nothing is for the reader', [room('a'), room('b', { unread: 1 })], undefined, 'b'],
    ['is not unread because of a muted room', [room('a'), room('b', { unread: 1, isMuted: true })], undefined, 'a'],
    ['is the first room before a conversation if all is read', [room('a', { isDirect: true }), room('b')], undefined, 'b'],
    ['is another one if the reader has left the last one', [room('a'), room('b', { unread: 2 })], 'gone', 'b'],
    ['is a conversation if there is nothing else', [room('a', { isDirect: true })], undefined, 'a'],
    ['is none if there is none', [], 'gone', undefined],
  ] as const)('the room that opens first %s', (_title, list, last, expected) => {
    expect(chooseRoom(list, last)?.id).toBe(expected);
  });
});
