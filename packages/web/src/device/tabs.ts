import type { Message } from 'chat-service-client';
import { randomKey } from 'chat-service-client/calls';

/**
 * The messages between the tabs of one user. Each tab has its own store; they share the browser's
 * storage.
 */
export type TabMessage =
  /** The outbox was changed. */
  | { type: 'outbox' }
  /** A draft became a message with this text; `of` is the other tab's draft that it was made of. */
  | { type: 'draft-sent'; place: string; text: string; of: string | undefined }
  /** The service confirmed a message, which left the outbox. */
  | { type: 'sent'; key: string; message: Message }
  /** The list of rooms was read again, and is in the cache. */
  | { type: 'rooms' }
  /** A room was read up to here. */
  | { type: 'read'; room: string; seq: number }
  | { type: 'logged-out' };

/** Asks whether somebody looks at another tab, and the answer of that tab. */
type TabQuestion = { type: 'is-looked-at' } | { type: 'looked-at' };

/** How long a visible tab may take to answer. */
const longestAnswerMs = 500;

let channel: BroadcastChannel | undefined;
const askers = new Set<() => void>();

/** Listens to the other tabs of the same user, if the browser supports it. */
export function listenToTabs(user: string, listen: (told: TabMessage) => void): void {
  closeTabs();
  try {
    channel = new BroadcastChannel(`chat-${user}`);
  } catch {
    return;
  }
  channel.onmessage = ({ data }: { data: TabMessage | TabQuestion }) => {
    if (data.type === 'is-looked-at') {
      if (document.hasFocus()) post({ type: 'looked-at' });
    } else if (data.type === 'looked-at') for (const answer of askers) answer();
    else listen(data);
  };
}

const post = (told: TabMessage | TabQuestion) => channel?.postMessage(told);

/** Sends a message to the other tabs. */
export const tell = (told: TabMessage): void => post(told);

/** Stops listening. */
export function closeTabs(): void {
  channel?.close();
  channel = undefined;
}

/** Resolves to true if the page is in view in another tab or window. */
export function isLookedAtElsewhere(): Promise<boolean> {
  if (!channel) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isLookedAt: boolean) => {
      askers.delete(answer);
      clearTimeout(timer);
      resolve(isLookedAt);
    };
    const answer = () => end(true);
    const timer = setTimeout(() => end(false), longestAnswerMs);
    askers.add(answer);
    post({ type: 'is-looked-at' });
  });
}

const nameKey = 'chat-tab';
const lockOf = (name: string) => `chat-tab-${name}`;

/** How long the previous page of this tab may take to unload. */
const longestFarewellMs = 300;

let name: Promise<string> | undefined;

/** The name of this tab, which it keeps when it is loaded again. */
export const nameOfTab = (): Promise<string> => {
  name ??= findName();
  return name;
};

async function findName(): Promise<string> {
  const last = lastName();
  // A tab that is a copy of another one has its name, too.
  if (last !== undefined && (await takeName(last))) return last;
  const fresh = randomKey();
  await takeName(fresh);
  try {
    sessionStorage.setItem(nameKey, fresh);
  } catch {
    // Then it has another name each time.
  }
  return fresh;
}

function lastName(): string | undefined {
  try {
    return sessionStorage.getItem(nameKey) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reserves a name while the page is open; resolves to true if no other page has it. Over plain http
 * this is unknown.
 */
function takeName(wanted: string): Promise<boolean> {
  const { locks } = navigator;
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise<void>(() => {});
    };
    locks.request(lockOf(wanted), { signal: AbortSignal.timeout(longestFarewellMs) }, hold).catch(() => resolve(false));
  });
}

/** Returns a function that checks whether a tab with a name is open; false if unknown. */
export async function tabsOpen(): Promise<(name: string) => boolean> {
  try {
    const { held = [] } = await navigator.locks.query();
    const names = new Set(held.map((lock) => lock.name));
    return (name) => names.has(lockOf(name));
  } catch {
    return () => false;
  }
}
