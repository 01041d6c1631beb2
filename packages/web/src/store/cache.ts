import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import { noteOf, readNote } from '../ahead.ts';
import type { Message } from '../api.ts';
import type { Cursor, Draft, Entry, KeptRoom, Marker, MyRoom } from './kept.ts';

/** What this browser keeps for one user. */
interface Schema extends DBSchema {
  rooms: { key: string; value: MyRoom };
  messages: { key: [room: string, seq: number]; value: Message };
  cursors: { key: string; value: Cursor };
  drafts: { key: string; value: Draft };
  outbox: { key: number; value: Entry };
  /** Read markers that the service does not know yet. */
  markers: { key: string; value: Marker };
}

export type Database = IDBPDatabase<Schema>;

const version = 1;
/** How many messages are kept of a room, and of how many rooms. */
const mostMessages = 200;
const mostRooms = 40;

let note = '';
let database: Promise<Database | undefined> | undefined;

const nameOf = (user: string) => `chat-${user}`;

/** Opens what is kept for a user; from here on the other functions work on it. A browser that keeps nothing gets on without. */
export function openCache(user: string): Promise<Database | undefined> {
  note = noteOf(user);
  database = openDB<Schema>(nameOf(user), version, {
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
  }).catch(() => undefined);
  return database;
}

/** The open database; undefined where the browser keeps none. */
export const cache = async (): Promise<Database | undefined> => database;

const writeNote = (rooms: readonly string[]) => localStorage.setItem(note, JSON.stringify(rooms));

/** Deletes all that is kept for a user. */
export async function wipeCache(user: string): Promise<void> {
  localStorage.removeItem(noteOf(user));
  (await database)?.close();
  database = undefined;
  await deleteDB(nameOf(user)).catch(() => {});
}

/** What is kept of a room, if anything is. */
export async function readRoom(room: string): Promise<KeptRoom | undefined> {
  const db = await cache();
  const found = await db?.get('cursors', room);
  if (!db || !found) return undefined;
  return { messages: await db.getAll('messages', ofRoom(room)), cursor: found.cursor };
}

/** Replaces what is kept of a room by its newest messages. */
export async function keepRoom(room: string, messages: readonly Message[], cursor: number): Promise<void> {
  const db = await cache();
  if (!db) return;
  const transaction = db.transaction(['messages', 'cursors'], 'readwrite');
  const kept = transaction.objectStore('messages');
  kept.delete(ofRoom(room));
  for (const message of messages.slice(-mostMessages)) kept.put(message);
  transaction.objectStore('cursors').put({ room, cursor, openedAt: Date.now() });
  await transaction.done;
  writeNote([...new Set([...readNote(note), room])]);
}

/**
 * Applies a page of a room's feed in one transaction with its cursor. Two tabs may apply the same page, and one a later page than the other: what
 * they write is the messages as they are, and the cursor never goes back.
 */
export async function keepEvents(room: string, changed: readonly Message[], cursor: number): Promise<void> {
  const db = await cache();
  if (!db) return;
  const transaction = db.transaction(['messages', 'cursors'], 'readwrite');
  const cursors = transaction.objectStore('cursors');
  const known = await cursors.get(room);
  if (!known) return;
  const messages = transaction.objectStore('messages');
  const oldest = (await messages.openKeyCursor(ofRoom(room)))?.key[1] ?? 0;
  for (const message of changed) if (message.seq >= oldest) messages.put(message);
  cursors.put({ ...known, cursor: Math.max(known.cursor, cursor) });
  let surplus = (await messages.count(ofRoom(room))) - mostMessages;
  for (let at = await messages.openCursor(ofRoom(room)); at && surplus > 0; surplus--) {
    at.delete();
    at = await at.continue();
  }
  await transaction.done;
}

/** Forgets a room, such as one that was left. */
export async function forgetRoom(room: string): Promise<void> {
  const db = await cache();
  if (!db) return;
  const transaction = db.transaction(['messages', 'cursors', 'rooms'], 'readwrite');
  transaction.objectStore('messages').delete(ofRoom(room));
  transaction.objectStore('cursors').delete(room);
  transaction.objectStore('rooms').delete(room);
  await transaction.done;
}

/** Forgets the messages of those rooms that were not opened for the longest time, beyond so many. */
export async function trimCache(): Promise<void> {
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
}

/** Keeps the list of my rooms. */
export async function keepRooms(rooms: readonly MyRoom[]): Promise<void> {
  const db = await cache();
  if (!db) return;
  const transaction = db.transaction('rooms', 'readwrite');
  transaction.store.clear();
  for (const room of rooms) transaction.store.put(room);
  await transaction.done;
}

const ofRoom = (room: string) => IDBKeyRange.bound([room, 0], [room, Number.MAX_SAFE_INTEGER]);
