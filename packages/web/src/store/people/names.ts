import { batch, type Signal, signal } from '@preact/signals';
import { strings } from '../../i18n/strings.ts';
import { ask, chat, type Id, type Member, type Message, type User } from '../../service/api.ts';

/** The names of a user, the version of their picture, and whether they are a bot. */
export type Person = {
  username: string;
  name?: string | undefined;
  avatar?: string | undefined;
  is_bot?: boolean | undefined;
};

/** The status of a user. */
export type Status = NonNullable<User['status']>;

/**
 * Values by id, each in a signal of its own: when one changes, only the views that show it are
 * drawn again.
 */
export function signalsById<T>(): (id: string) => Signal<T | undefined> {
  const all = new Map<string, Signal<T | undefined>>();
  return (id) => {
    const found = all.get(id) ?? signal(undefined);
    all.set(id, found);
    return found;
  };
}

const personSignal = signalsById<Person>();
const statusSignal = signalsById<Status>();
/** The ids of the users whom the service has named since the page was loaded. */
const freshIds = new Set<string>();
const requestedIds = new Set<string>();

/** The names of a user, if known. A view that reads them is drawn again when they change. */
export const personOf = (user: string): Person | undefined => personSignal(user).value;

/** The displayed name: the full name, or else the username. */
export const nameOf = ({ username, name }: Person): string => name ?? (username || strings.message.deletedUser);

/** The author of a message by the current name, even if the stored message has an older one. */
export const authorOf = (message: Message): Person => personOf(message.user.$oid) ?? message;

/** Stores the names of users. Stored names (`areKept`) do not replace those from the service. */
export function learnPersons(users: readonly (Person & { id: string })[], { areKept = false } = {}): void {
  batch(() => {
    for (const { id, username, name, avatar, is_bot } of users) {
      if (areKept && freshIds.has(id)) continue;
      if (!areKept) freshIds.add(id);
      const person = personSignal(id);
      const before = person.peek();
      if (before?.username !== username || before.name !== name || before.avatar !== avatar)
        person.value = { username, name, avatar, is_bot };
    }
  });
}

/** A status, unless it has ended. */
export const currentStatus = (status: Status | undefined): Status | undefined =>
  status?.until && Date.parse(status.until.$date) <= Date.now() ? undefined : status;

/** The status of a user, if known and not expired. */
export const statusOf = (user: string): Status | undefined => currentStatus(statusSignal(user).value);

/** Learns the statuses of users from a list. Users listed without one do not have any. */
export function learnStatuses(users: readonly { id: string; status?: Status | undefined }[]): void {
  batch(() => {
    for (const { id, status } of users) {
      const known = statusSignal(id);
      if (JSON.stringify(known.peek()) === JSON.stringify(status)) continue;
      known.value = status;
      const left = status?.until ? Date.parse(status.until.$date) - Date.now() : Number.POSITIVE_INFINITY;
      // It disappears when it ends. A timer can't wait for an end that is 25 days away or more.
      const end = () => {
        if (known.peek() === status) known.value = undefined;
      };
      if (left < 2 ** 31) setTimeout(end, left);
    }
  });
}

/** Stores the names and statuses of members. */
export function learnMembers(members: readonly Member[]): void {
  learnNamed(members);
  learnStatuses(members.map(({ user, status }) => ({ id: user.$oid, status })));
}

/** Stores the names of authors. */
export const learnNamed = (all: readonly (Person & { user: Id })[], kept?: { areKept: boolean }): void =>
  learnPersons(
    all.map(({ user, username, name, avatar, is_bot }) => ({ id: user.$oid, username, name, avatar, is_bot })),
    kept,
  );

/** Asks for the people who are not known yet, each of them once, and at most 20 of them. */
export async function findPersons(users: readonly string[]): Promise<void> {
  const missing = users.filter((id) => !personSignal(id).peek() && !requestedIds.has(id)).slice(0, 20);
  for (const id of missing) requestedIds.add(id);
  for (const id of missing) {
    try {
      const found = await ask(chat.GET('/api/users/{user}', { params: { path: { user: id } } }));
      learnPersons([{ id, username: found.username, name: found.name, avatar: found.avatar }]);
      learnStatuses([{ id, status: found.status }]);
    } catch {
      requestedIds.delete(id);
    }
  }
}
