import { computed, signal } from '@preact/signals';
import { recallJson, remember } from '../storage.ts';
import { isListed } from './hidden.ts';
import type { MyRoom } from './kept.ts';
import { rooms } from './rooms.ts';

/*
 * The list of my rooms stands still: favourites and rooms by their names, only conversations by when something was said
 * in them.
 */

/** The names of the parts of the list. */
export type SectionName = 'favourites' | 'rooms' | 'direct';

/** One part of the list. */
export type Section = { name: SectionName; rooms: readonly MyRoom[] };

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const byName = (one: MyRoom, other: MyRoom) => collator.compare(one.name, other.name);

/** The list of my rooms, by its parts; undefined until it is known. */
export const sections = computed((): readonly Section[] | undefined => {
  const list = rooms.value?.filter(isListed);
  if (!list) return undefined;
  const others = list.filter(({ isFavourite }) => !isFavourite);
  return [
    { name: 'favourites', rooms: list.filter(({ isFavourite }) => isFavourite).sort(byName) },
    { name: 'rooms', rooms: others.filter(({ isDirect }) => !isDirect).sort(byName) },
    { name: 'direct', rooms: others.filter(({ isDirect }) => isDirect) },
  ];
});

/** My rooms as they stand below each other. */
export const roomsInOrder = (): MyRoom[] => (sections.value ?? []).flatMap((section) => section.rooms);

/** How many messages are for me in a room: all of a conversation, and those that name me. */
export const countForMe = ({ isDirect, isMuted, unread, mentions }: MyRoom): number => (isDirect && !isMuted ? unread : mentions);

const key = 'chat-folded';

/** The parts of the list that are folded, in this browser. */
export const foldedSections = signal<readonly string[]>(recallJson<string[]>(key, []));

/** Folds a part of the list, or unfolds it. */
export function toggleSection(name: SectionName): void {
  const { value } = foldedSections;
  foldedSections.value = value.includes(name) ? value.filter((other) => other !== name) : [...value, name];
  remember(key, JSON.stringify(foldedSections.value));
}
