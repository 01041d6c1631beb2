import { signal } from '@preact/signals';
import { aKey } from '../api.ts';
import { tell } from '../tabs.ts';
import { cache } from './cache.ts';
import type { Change, Entry } from './kept.ts';

/** What is still to be done, oldest first, in all rooms and threads. */
export const outbox = signal<readonly Entry[]>([]);

/** The keys of the entries whose request is on its way from this tab. */
export const onTheirWay = signal<ReadonlySet<string>>(new Set());

/** Reads what is still to be done: at the start, and when another tab has changed it. */
export async function loadOutbox(): Promise<void> {
  const db = await cache();
  if (db) outbox.value = await db.getAll('outbox');
}

/**
 * Adds a change and returns when it is stored for good, so that whoever typed it can let go of it. The draft that it was goes in the same
 * transaction: a crash leaves one of the two, never both and never neither.
 */
export async function addToOutbox(room: string, change: Change, draft?: string): Promise<void> {
  const entry = { ...change, key: aKey(), room, madeAt: Date.now(), state: 'waiting' as const, attempts: 0, retryAt: 0 };
  const db = await cache();
  if (!db) {
    outbox.value = [...outbox.value, { ...entry, id: ++lastInMemory }];
    return;
  }
  const transaction = db.transaction(['outbox', 'drafts'], 'readwrite', { durability: 'strict' });
  // The database gives it its id.
  transaction.objectStore('outbox').add(entry as Entry);
  if (draft !== undefined) transaction.objectStore('drafts').delete(draft);
  await transaction.done;
  await changed();
}

// For browsers that keep nothing.
let lastInMemory = 0;

/** Changes an entry, such as when to try it again; nothing if it is there no more. */
export async function changeEntry(
  id: number,
  changes: Partial<Pick<Entry, 'state' | 'attempts' | 'reason' | 'retryAt'>>,
): Promise<void> {
  const db = await cache();
  if (!db) {
    outbox.value = outbox.value.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry));
    return;
  }
  const transaction = db.transaction('outbox', 'readwrite', { durability: 'strict' });
  const stored = await transaction.store.get(id);
  if (stored) transaction.store.put({ ...stored, ...changes });
  await transaction.done;
  await changed();
}

/** Removes an entry: it is done, or the user does not want it any more. */
export async function removeEntry(id: number): Promise<void> {
  const db = await cache();
  await db?.delete('outbox', id);
  outbox.value = outbox.value.filter((entry) => entry.id !== id);
  tell({ type: 'outbox' });
}

/** Tries a refused entry again, or a waiting one at once. */
export const retryEntry = (id: number): Promise<void> => changeEntry(id, { state: 'waiting', reason: undefined, retryAt: 0 });

/** Tries at once what waits for a connection: it is back. */
export async function retryAll(): Promise<void> {
  for (const { id, retryAt, reason } of outbox.value)
    if (retryAt > 0 && reason?.kind === 'unreachable') await changeEntry(id, { retryAt: 0 });
}

async function changed(): Promise<void> {
  await loadOutbox();
  tell({ type: 'outbox' });
}
