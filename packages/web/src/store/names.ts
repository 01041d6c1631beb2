import { batch, type Signal, signal } from '@preact/signals';
import { ask, chat, type Id, type Message } from '../api.ts';
import { strings } from '../strings.ts';

/** What somebody is called. */
export type Person = { username: string; name?: string | undefined };

/** By ids; a signal each, so that only what shows somebody is drawn again. */
const known = new Map<string, Signal<Person | undefined>>();
/** Of whom the service has told since the page was loaded. */
const told = new Set<string>();
const asked = new Set<string>();

function signalOf(user: string): Signal<Person | undefined> {
  const found = known.get(user) ?? signal(undefined);
  known.set(user, found);
  return found;
}

/** What a user is called, if it is known; views that ask are drawn again when that changes. */
export const personOf = (user: string): Person | undefined => signalOf(user).value;

/** How somebody is shown: by the full name, or else by the username. */
export const nameOf = ({ username, name }: Person): string => name ?? (username || strings.message.deletedUser);

/** How the author of a message is shown: as called now, also where the message was kept since before. */
export const authorOf = (message: Message): Person => personOf(message.user.$oid) ?? message;

/** Learns what users are called; what this browser has kept since earlier says nothing new of those of whom the service has told. */
export function learnPersons(users: readonly (Person & { id: string })[], { areKept = false } = {}): void {
  batch(() => {
    for (const { id, username, name } of users) {
      if (areKept && told.has(id)) continue;
      if (!areKept) told.add(id);
      const person = signalOf(id);
      const before = person.peek();
      if (before?.username !== username || before.name !== name) person.value = { username, name };
    }
  });
}

/** Learns what the authors of messages, or members, are called. */
export const learnNamed = (all: readonly (Person & { user: Id })[], kept?: { areKept: boolean }): void =>
  learnPersons(
    all.map(({ user, username, name }) => ({ id: user.$oid, username, name })),
    kept,
  );

/** Asks for those who are not known, each once, a few at a time. */
export async function findPersons(users: readonly string[]): Promise<void> {
  const missing = users.filter((id) => !signalOf(id).peek() && !asked.has(id)).slice(0, 20);
  for (const id of missing) asked.add(id);
  for (const id of missing) {
    try {
      const found = await ask(chat.GET('/api/users/{user}', { params: { path: { user: id } } }));
      learnPersons([{ id, username: found.username, name: found.name }]);
    } catch {
      asked.delete(id);
    }
  }
}
