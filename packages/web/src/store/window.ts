import type { Message } from '../service/api.ts';

/**
 * The part of a room's history that is in memory and on the page: contiguous, ascending by `seq`.
 */
export type Window = { messages: readonly Message[]; isAtStart: boolean; isAtEnd: boolean };

/** The most messages in a window, however far the user scrolls. */
export const mostInWindow = 300;

/** An empty window, whose ends are both unknown. */
export const emptyWindow: Window = { messages: [], isAtStart: false, isAtEnd: false };

/** Adds an older page at the start; drops surplus messages at the end. */
export function prepend(window: Window, page: readonly Message[], isAtStart: boolean): Window {
  const messages = merge(page, window.messages);
  const isCut = messages.length > mostInWindow;
  return { messages: isCut ? messages.slice(0, mostInWindow) : messages, isAtStart, isAtEnd: window.isAtEnd && !isCut };
}

/** Adds a newer page at the end; drops surplus messages at the start. */
export function append(window: Window, page: readonly Message[], isAtEnd: boolean): Window {
  const messages = merge(window.messages, page);
  const isCut = messages.length > mostInWindow;
  return { messages: isCut ? messages.slice(-mostInWindow) : messages, isAtStart: window.isAtStart && !isCut, isAtEnd };
}

/**
 * Applies the current versions of messages. Those in the window are replaced; new ones are added at
 * its end if the window reaches it. A message that was delayed is inserted at its place, also
 * before the first. Surplus messages are dropped at the start. If `keep` is `start`, the new
 * messages are dropped instead, and the window ends before them.
 */
export function applyTo(window: Window, changed: readonly Message[], keep: 'start' | 'end'): Window {
  const first = window.isAtStart ? 0 : (window.messages[0]?.seq ?? Number.POSITIVE_INFINITY);
  const last = window.messages.at(-1)?.seq ?? Number.NEGATIVE_INFINITY;
  const inside = changed.filter(({ seq }) => seq >= first && seq <= last);
  const after = window.isAtEnd ? changed.filter(({ seq }) => seq > last) : [];
  if (inside.length === 0 && after.length === 0) return window;
  const messages = merge(window.messages, [...inside, ...after]);
  if (messages.length <= mostInWindow) return { ...window, messages };
  return keep === 'end'
    ? { messages: messages.slice(-mostInWindow), isAtStart: false, isAtEnd: true }
    : { messages: messages.slice(0, mostInWindow), isAtStart: window.isAtStart, isAtEnd: false };
}

/** Both, ascending by `seq`, each place once; of two at one place the second list's. */
export function merge(some: readonly Message[], others: readonly Message[]): Message[] {
  const bySeq = new Map(some.map((message) => [message.seq, message]));
  for (const message of others) bySeq.set(message.seq, message);
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
}
