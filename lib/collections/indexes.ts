import { MongoServerError } from 'mongodb';
import { loginLimitIndexes } from '../accounts/login-limits.ts';
import { database } from '../database/client.ts';
import { tokenIndexes } from '../identity/tokens.ts';
import { userIndexes } from '../identity/users.ts';
import { messageIndexes } from '../messages/messages.ts';
import { eventIndexes } from '../rooms/event-log.ts';
import { readIndexes } from '../rooms/read-markers.ts';
import { roomIndexes } from '../rooms/rooms.ts';

const indexes = {
  users: userIndexes,
  tokens: tokenIndexes,
  login_limits: loginLimitIndexes,
  rooms: roomIndexes,
  messages: messageIndexes,
  events: eventIndexes,
  reads: readIndexes,
};

/** What indexes of earlier versions were called in whose place others are now: no query needs them, and every write keeps them. */
const retired: Partial<Record<string, string[]>> = { messages: ['room, thread, seq', 'room, mentions, seq'] };

/** Makes every index that is not there yet, drops those of earlier versions, and leaves all others alone; returns how many each collection has now, `_id`'s included. */
export async function ensureIndexes(): Promise<Record<string, number>> {
  const made = Object.entries(indexes).map(async ([collection, wanted]) => {
    await database.collection(collection).createIndexes(wanted);
    await dropRetired(collection);
    return [collection, wanted.length + 1] as const;
  });
  return Object.fromEntries(await Promise.all(made));
}

async function dropRetired(collection: string): Promise<void> {
  const names = retired[collection];
  if (!names) return;
  const there = await database.collection(collection).indexes();
  for (const { name } of there) if (name && names.includes(name)) await drop(collection, name);
}

async function drop(collection: string, name: string): Promise<void> {
  try {
    await database.collection(collection).dropIndex(name);
  } catch (error) {
    // Another process was here at the same time.
    if (!(error instanceof MongoServerError && error.code === indexNotFound)) throw error;
  }
}

const indexNotFound = 27;
