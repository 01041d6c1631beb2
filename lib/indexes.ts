import { database } from './database.ts';
import { eventIndexes } from './events.ts';
import { loginLimitIndexes } from './login-limits.ts';
import { messageIndexes } from './messages.ts';
import { readIndexes } from './reads.ts';
import { roomIndexes } from './rooms.ts';
import { tokenIndexes } from './tokens.ts';
import { userIndexes } from './users.ts';

const indexes = {
  users: userIndexes,
  tokens: tokenIndexes,
  login_limits: loginLimitIndexes,
  rooms: roomIndexes,
  messages: messageIndexes,
  events: eventIndexes,
  reads: readIndexes,
};

/** Makes every index that is not there yet, and leaves the others alone; returns how many each collection has now, `_id`'s included. */
export async function ensureIndexes(): Promise<Record<string, number>> {
  const made = Object.entries(indexes).map(async ([collection, wanted]) => {
    await database.collection(collection).createIndexes(wanted);
    return [collection, wanted.length + 1] as const;
  });
  return Object.fromEntries(await Promise.all(made));
}
