import type { Message } from './api.ts';

/** What the tabs of one user tell each other. Each of them has a store of its own; what is stored in the browser they share. */
export type Told =
  /** The outbox was changed. */
  | { type: 'outbox' }
  /** The service confirmed a message: it is in the outbox no more, but here. */
  | { type: 'sent'; key: string; message: Message }
  /** The list of rooms was read anew, and is in the cache. */
  | { type: 'rooms' }
  /** A room was read up to here. */
  | { type: 'read'; room: string; seq: number }
  | { type: 'logged-out' };

let channel: BroadcastChannel | undefined;

/** Listens to the other tabs of the same user. */
export function listenToTabs(user: string, listen: (told: Told) => void): void {
  channel?.close();
  channel = new BroadcastChannel(`chat-${user}`);
  channel.onmessage = ({ data }) => listen(data as Told);
}

/** Tells the other tabs. */
export const tell = (told: Told): void => channel?.postMessage(told);

/** Stops listening. */
export function closeTabs(): void {
  channel?.close();
  channel = undefined;
}
