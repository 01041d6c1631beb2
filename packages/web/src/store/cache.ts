import { signal } from '@preact/signals';
import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import { forgetName, keepsNames, remember } from '../device/storage.ts';
import { noteOf, readNote } from '../service/ahead.ts';
import type { Message } from '../service/api.ts';
import type { Cursor, Draft, Entry, KeptRoom, Marker, MyRoom } from './kept.ts';

/** The database of this browser for one user. */
interface Schema extends DBSchema {
  rooms: { key: string; value: MyRoom };
  messages: { key: [room: string, seq: number]; value: Message };
  cursors: { key: string; value: Cursor };
  drafts: { key: string; value: Draft };
  outbox: { key: number; value: Entry };
  /** Read markers that the service does not know yet. */
  markers: { key: string; value: Marker };
}

type Database = IDBPDatabase<Schema>;

const version = 1;
/** How many messages are kept of a room, and of how many rooms. */
const mostMessages = 200;
const mostRooms = 40;

/** How long the browser may take to open the database: some never finish. */
const longestOpeningMs = 5_000;

/** How storage in this browser works: everything is stored, nothing is, or the storage is full. */
export const keeping = signal<'all' | 'nothing' | 'full'>('all');

let note = '';
let database: Promise<Database | undefined> | undefined;

const nameOf = (user: string) => `chat-${user}`;

/**
 * Opens the database of a user for the other functions here. Without storage, the page works
 * without it.
 */
export function openCache(user: string): Promise<Database | undefined> {
  note = noteOf(user);
  keeping.value = keepsNames() ? 'all' : 'nothing';
  const tooLong = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('The database does not open.')), longestOpeningMs);
  });
  database = Promise.race([openDatabase(user), tooLong]).catch(noteProblem);
  return database;
}

// Asynchronous: where site data is blocked, the very call throws.
const openDatabase = async (user: string): Promise<Database> =>
  openDB<Schema>(nameOf(user), version, {
    upgrade(db) {
      db.createObjectStore('rooms', { keyPath: 'id' });
      db.createObjectStore('messages', { keyPath: ['room.$oid', 'seq'] });
      db.createObjectStore('cursors', { keyPath: 'room' });
      db.createObjectStore('drafts', { keyPath: 'place' });
      db.createObjectStore('outbox', { keyPath: 'id', autoIncrement: true });
      db.createObjectStore('markers', { keyPath: 'room' });
    },
    // A newer version of the page waits in another tab.
    blocking: () => location.reload(),
    // The browser has deleted it, to free space or at the user's request.
    terminated() {
      database = undefined;
      keeping.value = 'nothing';
    },
  });

/** Records a storage problem; the page continues without storage. */
export function noteProblem(problem: unknown): undefined {
  keeping.value = (problem as { name?: string } | null)?.name === 'QuotaExceededError' ? 'full' : 'nothing';
  return undefined;
}

/** Wraps a function on the database so that it records a problem instead of failing. */
const gettingOn =
  <A extends unknown[], R>(work: (...inputs: A) => Promise<R>) =>
  (...inputs: A): Promise<R | undefined> =>
    work(...inputs).catch(noteProblem);

/** The open database; undefined if the browser does not store data. */
export const cache = async (): Promise<Database | undefined> => database;

const writeNote = (rooms: readonly string[]) => remember(note, JSON.stringify(rooms));

/** Deletes all that is kept for a user. */
export async function wipeCache(user: string): Promise<void> {
  forgetName(noteOf(user));
  forgetName(`chat-drafts-${user}`);
  forgetName(`chat-saved-${user}`);
  (await database)?.close();
  database = undefined;
  try {
    await deleteDB(nameOf(user));
  } catch {
    // It does not exist.
  }
}

/** Returns the stored content of a room, if there is any. */
export const readRoom = gettingOn(async (room: string): Promise<KeptRoom | undefined> => {
  const db = await cache();
  const found = await db?.get('cursors', room);
  if (!db || !found) return undefined;
  return { messages: await db.getAll('messages', ofRoom(room)), cursor: found.cursor, epoch: found.epoch };
});

/** The stored cursor of a room, and its epoch. */
type KeptPlace = Pick<KeptRoom, 'cursor' | 'epoch'>;

/** Replaces the stored content of a room by its newest messages. */
export const keepRoom = gettingOn(
  async (room: string, messages: readonly Message[], { cursor, epoch }: KeptPlace): Promise<void> => {
    const db = await cache();
    if (!db) return;
    const transaction = db.transaction(['messages', 'cursors'], 'readwrite');
    const kept = transaction.objectStore('messages');
    kept.delete(ofRoom(room));
    for (const message of messages.slice(-mostMessages)) kept.put(message);
    transaction.objectStore('cursors').put({ room, cursor, epoch, openedAt: Date.now() });
    await transaction.done;
    writeNote([...new Set([...readNote(note), room])]);
  },
);

/**
 * Applies a page of a room's feed in one transaction with its cursor. Two tabs may apply the same
 * page, or one of them a later page. Both write the messages as they are now, and the cursor never
 * goes back. Content of another epoch that another tab stored stays as it is.
 */
export const keepEvents = gettingOn(
  async (room: string, changed: readonly Message[], { cursor, epoch }: KeptPlace): Promise<void> => {
    const db = await cache();
    if (!db) return;
    const transaction = db.transaction(['messages', 'cursors'], 'readwrite');
    const cursors = transaction.objectStore('cursors');
    const known = await cursors.get(room);
    // Without an epoch it was kept by an earlier version of the page, and the service has just
    // confirmed its cursor.
    if (!known || (known.epoch !== undefined && known.epoch !== epoch)) return;
    const messages = transaction.objectStore('messages');
    const oldest = (await messages.openKeyCursor(ofRoom(room)))?.key[1] ?? 0;
    for (const message of changed) if (message.seq >= oldest) messages.put(message);
    cursors.put({ ...known, cursor: Math.max(known.cursor, cursor), epoch });
    let surplus = (await messages.count(ofRoom(room))) - mostMessages;
    for (let at = await messages.openCursor(ofRoom(room)); at && surplus > 0; surplus--) {
      at.delete();
      at = await at.continue();
    }
    await transaction.done;
  },
);

/** Forgets a room, such as one that was left. */
export const forgetRoom = gettingOn(async (room: string): Promise<void> => {
  const db = await cache();
  if (!db) return;
  const transaction = db.transaction(['messages', 'cursors', 'rooms'], 'readwrite');
  transaction.objectStore('messages').delete(ofRoom(room));
  transaction.objectStore('cursors').delete(room);
  transaction.objectStore('rooms').delete(room);
  await transaction.done;
});

/** Deletes the messages of the rooms that were opened longest ago, above a limit. */
export const trimCache = gettingOn(async (): Promise<void> => {
  const db = await cache();
  const known = (await db?.getAll('cursors')) ?? [];
  const latest = known.toSorted((one, other) => other.openedAt - one.openedAt);
  const surplus = latest.slice(mostRooms);
  if (db) writeNote(latest.slice(0, mostRooms).map(({ room }) => room));
  for (const { room } of surplus) {
    const transaction = db?.transaction(['messages', 'cursors'], 'readwrite');
    transaction?.objectStore('messages').delete(ofRoom(room));
    transaction?.objectStore('cursors').delete(room);
    await transaction?.done;
  }
});

/** Stores the changes of my list of rooms. */
export const keepRooms = gettingOn(async (changed: readonly MyRoom[], gone: readonly string[]): Promise<void> => {
  const db = await cache();
  if (!db) return;
  const transaction = db.transaction('rooms', 'readwrite');
  for (const id of gone) transaction.store.delete(id);
  for (const room of changed) transaction.store.put(room);
  await transaction.done;
});

const ofRoom = (room: string) => IDBKeyRange.bound([room, 0], [room, Number.MAX_SAFE_INTEGER]);
