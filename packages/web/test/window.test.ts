import { describe, expect, it } from 'vitest';
import type { Message } from '../src/service/api.ts';
import { append, applyTo, mostInWindow, prepend, type Window } from '../src/store/window.ts';

const message = (seq: number) => ({ seq }) as Message;
const messages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => message(from + at));

/** A full window: messages 2 to 301 of a room, with both ends known. */
const full: Window = { messages: messages(2, mostInWindow + 1), isAtStart: true, isAtEnd: true };
const newest = mostInWindow + 2;

const shownIn = ({ messages: shown, ...ends }: Window) => ({
  from: shown[0]?.seq,
  to: shown.at(-1)?.seq,
  count: shown.length,
  ...ends,
});

describe('a full window of a room', () => {
  it.each<[string, Window, object]>([
    [
      'drops its start for a new message',
      applyTo(full, [message(newest)], 'end'),
      { from: 3, to: newest, isAtStart: false, isAtEnd: true },
    ],
    [
      'ends before a new message while the reader is at its start',
      applyTo(full, [message(newest)], 'start'),
      { from: 2, to: newest - 1, isAtStart: true, isAtEnd: false },
    ],
    [
      'drops its end for an older page',
      prepend({ ...full, isAtStart: false }, [message(1)], true),
      { from: 1, to: newest - 2, isAtStart: true, isAtEnd: false },
    ],
    [
      'drops its start for a newer page',
      append({ ...full, isAtEnd: false }, [message(newest)], true),
      { from: 3, to: newest, isAtStart: false, isAtEnd: true },
    ],
  ])('a full window of a room %s', (_what, window, expected) => {
    expect(shownIn(window)).toEqual({ count: mostInWindow, ...expected });
  });

  it('a full window of a room takes no new messages while it ends before the newest', () => {
    const window = applyTo(full, [message(newest)], 'start');
    expect(applyTo(window, [message(newest + 1)], 'end')).toBe(window);
  });
});
