import { signal } from '@preact/signals';
import type { Person } from './people/names.ts';

/** Who was mentioned in a message without being in its room, where that is to be said: at the place where it was written. */
export const absent = signal<{ place: string; people: readonly (Person & { id: string })[] } | undefined>(undefined);
