import { signal } from '@preact/signals';
import { me } from '../account/session.ts';
import { recallJson, remember } from '../device/storage.ts';
import type { SavedMessage } from '../service/api.ts';
import { idOf } from '../service/ids.ts';

/** The ids of the messages that I have saved, as far as this browser knows them. */
const saved = signal<ReadonlySet<string> | undefined>(undefined);

/** The message that was saved here last, or got a reminder: their list has it then. */
export const savedLast = signal('');

/** The saved messages with a due reminder that I have not looked at since. */
export const dueReminders = signal<readonly SavedMessage[]>([]);

/** How many this browser keeps, the newest ones. */
const most = 2_000;

const nameOf = () => `chat-saved-${idOf(me())}`;

/** True if I have saved a message. */
export function isSaved(id: string): boolean {
  saved.value ??= new Set(recallJson<string[]>(nameOf(), []));
  return saved.value.has(id);
}

/** Records saved and unsaved messages. `isAll` if `ids` are all saved ones. */
export function noteSaved(ids: readonly string[], not: readonly string[] = [], isAll = false): void {
  const others = isAll ? [] : recallJson<string[]>(nameOf(), []);
  const known = new Set([...others, ...ids].filter((id) => !not.includes(id)));
  saved.value = known;
  if (not.length > 0) dueReminders.value = dueReminders.value.filter(({ message }) => !not.includes(idOf(message)));
  remember(nameOf(), JSON.stringify([...known].slice(-most)));
}

/** Forgets the saved messages, for the next user of the page. */
export const resetSaved = (): void => {
  saved.value = undefined;
  dueReminders.value = [];
};
