import { effect, signal, untracked } from '@preact/signals';
import { session } from '../account/session.ts';
import { route } from '../device/routes.ts';
import { ask, chat, type Message, type SavedMessage } from '../service/api.ts';
import { idOf } from '../service/ids.ts';
import { dueReminders, noteSaved, savedLast } from '../store/saved.ts';

/**
 * After how many milliseconds the service is asked again at the latest: another device may have set
 * a reminder.
 */
const longestRestMs = 15 * 60_000;

/** The pause after a failed request. */
const retryAfterMs = 60_000;

/** How many are read: the due ones and the next one. */
const most = 100;

/** The reminders that were read last, the earliest first. */
const known = signal<readonly SavedMessage[]>([]);
let timer: ReturnType<typeof setTimeout> | undefined;
/** The time of the last check. Reminders due before the page opened are not news. */
let lookedAt = Date.now();
let isFirst = true;
let looking = Promise.resolve();

const timeOf = ({ remind_at }: SavedMessage): number => Date.parse(remind_at?.$date ?? '');

/** The time of a message's reminder, as far as this page knows. */
export const reminderOf = (message: string): Date | undefined => {
  const found = known.value.find((one) => idOf(one.message) === message);
  return found && new Date(timeOf(found));
};

/** Has me reminded of a message, or no longer; throws a `Failure`. */
export async function remindOf(message: Message, at: Date | null): Promise<void> {
  const id = idOf(message);
  const body = { remind_at: at && { $date: at.toISOString() } };
  await ask(chat.PUT('/api/messages/{message}/save', { params: { path: { message: id } }, body }));
  noteSaved([id]);
  savedLast.value = `${id} ${at?.getTime()}`;
}

/** Calls `tell` with each message when its reminder is due, while the page is open. */
export function startReminding(tell: (message: SavedMessage['message']) => void): void {
  const look = () => {
    looking = looking.then(() => read(tell));
  };
  // Also when somebody else signs in, and when a reminder was set here.
  effect(() => {
    const isIn = session.value.state === 'in';
    void savedLast.value;
    clearTimeout(timer);
    if (isIn) untracked(look);
  });
  addEventListener('focus', look);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look());
  // Opening a message completes its reminder.
  route.subscribe(finish);

  async function read(tellOf: typeof tell): Promise<void> {
    clearTimeout(timer);
    const { value } = session;
    if (value.state !== 'in') return;
    let wait = retryAfterMs;
    try {
      const query = { reminders: 'true' as const, limit: most };
      const list = (await ask(chat.GET('/api/saved', { params: { query } }))) as SavedMessage[];
      const after = session.peek();
      if (after.state !== 'in' || idOf(after.user) !== idOf(value.user)) return;
      const now = Date.now();
      const due = list.filter((one) => timeOf(one) <= now);
      const next = list[due.length];
      for (const one of due) if (timeOf(one) > lookedAt) tellOf(one.message);
      lookedAt = now;
      known.value = list;
      dueReminders.value = due;
      // A notification of a reminder may have opened the page.
      if (isFirst) finish();
      isFirst = false;
      wait = Math.min(longestRestMs, next ? timeOf(next) - now : longestRestMs);
    } catch {
      // It is asked again, and on the next look at the page.
    }
    timer = setTimeout(look, wait);
  }
}

/** Opening the message completes its reminder. */
function finish(): void {
  const value = route.peek();
  if (value.name !== 'room') return;
  const place = value.reply ?? value.seq;
  const seen = dueReminders.peek().find(({ message }) => message.room.$oid === value.room && message.seq === place);
  if (!seen) return;
  dueReminders.value = dueReminders.peek().filter((one) => one !== seen);
  remindOf(seen.message as Message, null).catch(() => {});
}
