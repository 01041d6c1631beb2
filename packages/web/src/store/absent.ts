import { signal } from '@preact/signals';
import type { Person } from './people/names.ts';

/**
 * Mentioned people who are not in the room, for the note at the place where the message was
 * written.
 */
export const absent = signal<{ place: string; people: readonly (Person & { id: string })[] } | undefined>(undefined);
