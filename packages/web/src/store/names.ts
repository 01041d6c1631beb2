import { signal } from '@preact/signals';
import { ask, chat, type Message } from '../api.ts';

const known = new Map<string, string>();
const asked = new Set<string>();

/** Counts what was learned, so that views that show names by ids notice. */
const learned = signal(0);

/** The name of a user, if it is known; views that ask are drawn again when it becomes known. */
export function nameOf(user: string): string | undefined {
  learned.value;
  return known.get(user);
}

/** The names of several users: those that are known. */
export const namesOf = (users: readonly string[]): string[] => users.map(nameOf).filter((name) => name !== undefined);

/** Learns the names of users. */
export function learnNames(users: readonly (readonly [user: string, name: string])[]): void {
  let isNew = false;
  for (const [user, name] of users) {
    isNew ||= known.get(user) !== name;
    known.set(user, name);
  }
  if (isNew) learned.value++;
}

/** Learns the names of the authors of messages. */
export const learnAuthors = (messages: readonly Message[]): void =>
  learnNames(messages.map(({ user, username }) => [user.$oid, username]));

/** Asks for the names that are not known, each once, a few at a time. */
export async function findNames(users: readonly string[]): Promise<void> {
  const missing = users.filter((user) => !known.has(user) && !asked.has(user)).slice(0, 20);
  for (const user of missing) asked.add(user);
  for (const user of missing) {
    try {
      const found = await ask(chat.GET('/api/users/{user}', { params: { path: { user } } }));
      learnNames([[user, found.username]]);
    } catch {
      asked.delete(user);
    }
  }
}
