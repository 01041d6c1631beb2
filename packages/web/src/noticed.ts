import { effect, untracked } from '@preact/signals';
import { ask, askFully, chat } from './api.ts';
import { idOf } from './ids.ts';
import { session } from './session.ts';
import { allMentions, allThreads, noticed } from './store/rooms.ts';
import { connection } from './sync/connection.ts';

/** For how many milliseconds changes are awaited that come together, before the service is asked how many are unread. */
const rest = 1_000;

let timer: ReturnType<typeof setTimeout> | undefined;
let turn = 0;

/** Has the unread notifications counted again, in a moment. */
export function countSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void count(), rest);
}

async function count(): Promise<void> {
  const { value } = session;
  if (value.state !== 'in') return;
  const mine = ++turn;
  try {
    const { headers } = await askFully(chat.GET('/api/notifications', { params: { query: { limit: 1 } } }));
    const after = session.peek();
    if (mine === turn && after.state === 'in' && idOf(after.user) === idOf(value.user))
      noticed.value = Number(headers.get('X-Unread-Count') ?? 0);
  } catch {
    // It is asked again when the service is reached, and when something changes.
  }
}

/** Has the unread notifications counted for as long as the page is open: mentions and replies come with their rooms. */
export function startCounting(): void {
  let before: number | undefined;
  effect(() => {
    const now = allMentions.value + allThreads.value;
    const isIn = session.value.state === 'in' && connection.value === 'online';
    untracked(() => {
      // At once what the page knows itself, also without a connection.
      if (noticed.value !== undefined && before !== undefined) noticed.value = Math.max(0, noticed.value + now - before);
      before = now;
      if (isIn) countSoon();
    });
  });
}

/** Marks the notifications up to a time as read, on all devices. */
export async function readUpTo(time: string): Promise<void> {
  const mine = ++turn;
  const { unread } = await ask(chat.PATCH('/api/notifications', { body: { read_until: { $date: time } } }));
  if (mine === turn) noticed.value = unread;
}
