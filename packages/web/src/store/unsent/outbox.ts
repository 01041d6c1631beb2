import { signal } from '@preact/signals';
import { tell } from '../../device/tabs.ts';
import { randomKey } from '../../service/api.ts';
import { cache, noteProblem } from '../cache.ts';
import type { Change, Entry } from '../kept.ts';
import { forgetWait } from './due.ts';

/** The unconfirmed changes in all rooms and threads, oldest first. */
export const outbox = signal<readonly Entry[]>([]);

/** The keys of entries that this tab is sending. */
export const onTheirWay = signal<ReadonlySet<string>>(new Set());

/** Loads the outbox: at the start, and when another tab has changed it. */
export async function loadOutbox(): Promise<void> {
  const stored = await (await cache())?.getAll('outbox').catch(noteProblem);
  const others = outbox.value.filter(({ id }) => isInMemory(id) || !stored);
  if (stored || others.length > 0) outbox.value = [...(stored ?? []), ...others];
}

/**
 * Adds a change, and returns when it is stored and the page may close. Its draft is deleted in the
 * same transaction: after a crash, exactly one of them is left.
 */
export async function addToOutbox(room: string, change: Change, drafts: readonly string[] = []): Promise<void> {
  const entry = { ...change, key: randomKey(), room, madeAt: Date.now(), state: 'waiting' as const, attempts: 0, retryAt: 0 };
  if (await store(entry as Entry, drafts).catch(noteProblem)) await changed();
  else outbox.value = [...outbox.value, { ...entry, id: --lastInMemory }];
}

/** Stores an entry, which gets its id from the database; resolves to false without a database. */
async function store(entry: Entry, drafts: readonly string[]): Promise<boolean> {
  const db = await cache();
  if (!db) return false;
  const transaction = db.transaction(['outbox', 'drafts'], 'readwrite', { durability: 'strict' });
  const added = transaction.objectStore('outbox').add(entry);
  for (const draft of drafts) transaction.objectStore('drafts').delete(draft);
  await Promise.all([added, transaction.done]);
  return true;
}

// If the browser cannot store entries, they are kept while the page is open. The database counts
// upwards from 1.
let lastInMemory = 0;
const isInMemory = (id: number) => id < 0;

type EntryChanges = Partial<Pick<Entry, 'state' | 'attempts' | 'reason' | 'retryAt' | 'pause'>> | Partial<Change>;

/** Changes an entry, such as when to try it again; nothing if it is gone. */
export async function changeEntry(id: number, changes: EntryChanges): Promise<void> {
  if (!isInMemory(id) && (await changeStored(id, changes).catch(noteProblem))) await changed();
  else outbox.value = outbox.value.map((entry) => (entry.id === id ? ({ ...entry, ...changes } as Entry) : entry));
}

async function changeStored(id: number, changes: EntryChanges): Promise<boolean> {
  const db = await cache();
  if (!db) return false;
  const transaction = db.transaction('outbox', 'readwrite', { durability: 'strict' });
  const stored = await transaction.store.get(id);
  await Promise.all([stored && transaction.store.put({ ...stored, ...changes } as Entry), transaction.done]);
  return true;
}

/** Removes an entry: it is done, or the user has discarded it. */
export async function removeEntry(id: number): Promise<void> {
  forgetWait(id);
  if (!isInMemory(id)) await (await cache())?.delete('outbox', id).catch(noteProblem);
  outbox.value = outbox.value.filter((entry) => entry.id !== id);
  tell({ type: 'outbox' });
}

/**
 * Retries a refused or waiting entry at once. An edit then replaces the current text, whatever it
 * is.
 */
export const retryEntry = (id: number): Promise<void> =>
  changeEntry(id, { state: 'waiting', reason: undefined, retryAt: 0, base: undefined });

/**
 * Turns an edit of a deleted message into a new message. It waits for the author, and is not sent
 * automatically.
 */
export const keepAsMessage = (id: number, thread: string | null): Promise<void> =>
  changeEntry(id, { kind: 'send', thread, after: 0, state: 'refused', reason: { kind: 'gone' } });

/** Tries at once what waits for a connection: it is back. */
export async function retryAll(): Promise<void> {
  for (const { id, retryAt, reason } of outbox.value)
    if (retryAt > 0 && reason?.kind === 'unreachable') await changeEntry(id, { retryAt: 0 });
}

async function changed(): Promise<void> {
  await loadOutbox();
  tell({ type: 'outbox' });
}
