import { computed, effect, untracked } from '@preact/signals';
import { session } from '../account/session.ts';
import { ask, askFully, chat } from '../service/api.ts';
import { idOf } from '../service/ids.ts';
import { connection } from '../store/connection.ts';
import { allMentions, allThreads, noticed } from '../store/rooms/rooms.ts';

/** How long to wait for related changes before requesting the number of unread ones. */
const restMs = 1_000;

/** How much later than a count the list of rooms may have a message that was counted. */
const listedMs = 3_000;

let isWaiting = false;
let turn = 0;
/** When the service's number was taken. */
let countedAt = Number.NEGATIVE_INFINITY;

/** Has the unread notifications counted again, in a moment. */
export function countSoon(): void {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(() => void count(), restMs);
}

async function count(): Promise<void> {
  isWaiting = false;
  const { value } = session;
  if (value.state !== 'in') return;
  const mine = ++turn;
  try {
    const { headers } = await askFully(chat.GET('/api/notifications', { params: { query: { limit: 1 } } }));
    const after = session.peek();
    if (after.state !== 'in' || idOf(after.user) !== idOf(value.user)) return;
    // It may be from before a change.
    if (mine !== turn) return countSoon();
    takeNumber(Number(headers.get('X-Unread-Count') ?? 0));
  } catch {
    // It is asked again when the service is reached, and when something changes.
  }
}

function takeNumber(unread: number): void {
  noticed.value = unread;
  countedAt = performance.now();
}

/**
 * Counts unread notifications while the page is open. Mentions and replies are known from the
 * rooms. Asking the service for these would hit it with a thousand requests at once after one
 * mention of everybody.
 */
export function startCounting(): void {
  const known = computed(() => allMentions.value + allThreads.value);
  let before = known.peek();
  let user = '';
  effect(() => {
    const now = known.value;
    const { value } = session;
    const reached = value.state === 'in' && connection.value === 'online' ? idOf(value.user) : '';
    untracked(() => {
      const isFewer = now < before;
      if (now !== before) turn++;
      const isPerhapsCounted = now > before && performance.now() - countedAt < listedMs;
      if (noticed.value !== undefined && !isPerhapsCounted) noticed.value = Math.max(0, noticed.value + now - before);
      before = now;
      // Some of the notifications read in the room may have been read in the list before.
      if (reached !== '' && (reached !== user || isFewer || isPerhapsCounted)) countSoon();
      user = reached;
    });
  });
}

/** Marks the notifications up to a time as read, on all devices. */
export async function readUpTo(time: string): Promise<void> {
  const mine = ++turn;
  const { unread } = await ask(chat.PATCH('/api/notifications', { body: { read_until: { $date: time } } }));
  if (mine === turn) takeNumber(unread);
  else countSoon();
}
