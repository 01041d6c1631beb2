import { signal } from '@preact/signals';
import { signalsById } from './names.ts';

/** The presence of a user; undefined for a user who is offline, or whose presence is unknown. */
type Presence = 'active' | 'away';

const presenceSignal = signalsById<Presence>();

/** How somebody is; views that ask are drawn again when that changes. */
export const presenceOf = (user: string): Presence | undefined => presenceSignal(user).value;

const known = new Set<string>();

/** Learns how somebody is. */
export function learnPresence(user: string, presence: Presence | undefined): void {
  presenceSignal(user).value = presence;
  known.add(user);
}

/** Forgets how everybody is. */
export function resetPresence(): void {
  for (const user of known) presenceSignal(user).value = undefined;
  known.clear();
}

/** Whether the service tells who is active. */
export const isPresenceTold = signal(false);

const places = new Map<string, number>();

/** The people on the screen, in the order in which they appeared. */
export const shownPeople = signal<readonly string[]>([]);

/** Somebody is shown, until the function that is returned is called. */
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
