import { signal } from '@preact/signals';
import { signalsById } from './names.ts';

/** The presence of a user; undefined for a user who is offline, or whose presence is unknown. */
type Presence = 'active' | 'away';

const presenceSignal = signalsById<Presence>();

/** The presence of a user; views that read it are drawn again when it changes. */
export const presenceOf = (user: string): Presence | undefined => presenceSignal(user).value;

const knownUsers = new Set<string>();

/** Sets the presence of a user. */
export function learnPresence(user: string, presence: Presence | undefined): void {
  presenceSignal(user).value = presence;
  knownUsers.add(user);
}

/** Forgets everybody's presence. */
export function resetPresence(): void {
  for (const user of knownUsers) presenceSignal(user).value = undefined;
  knownUsers.clear();
}

/** True if the service reports presence. */
export const isPresenceTold = signal(false);

const places = new Map<string, number>();

/** The people on the screen, in the order in which they appeared. */
export const shownPeople = signal<readonly string[]>([]);

/** Counts a person as visible until the returned function is called. */
export function showPerson(user: string): () => void {
  count(user, 1);
  return () => count(user, -1);
}

function count(user: string, change: number): void {
  const before = places.size;
  const number = (places.get(user) ?? 0) + change;
  if (number > 0) places.set(user, number);
  else places.delete(user);
  if (places.size !== before) shownPeople.value = [...places.keys()];
}
