import { computed, signal } from '@preact/signals';
import { recallJson, remember } from '../../device/storage.ts';
import type { MyRoom } from '../kept.ts';
import { isListed } from './hidden.ts';
import { rooms } from './rooms.ts';

/*
 * The order of the list of rooms. Favourites come in the user's own order, then by name. Other
 * rooms are sorted by name. Only conversations are sorted by their last message.
 */

/** The names of the parts of the list. */
export type SectionName = 'favourites' | 'rooms' | 'direct';

/** One part of the list. */
export type Section = { name: SectionName; rooms: readonly MyRoom[] };

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
// Rooms of one name have an order as well, or they would change places with each message.
const byName = (one: MyRoom, other: MyRoom) => collator.compare(one.name, other.name) || (one.id < other.id ? -1 : 1);
// Favourites without a number are last.
const byPlace = (one: MyRoom, other: MyRoom) => (one.place ?? 1 / 0) - (other.place ?? 1 / 0) || byName(one, other);

const unreadFirstKey = 'chat-unread-first';

/** True if unread rooms are first in their section, in this browser. */
export const isUnreadFirst = signal(recallJson(unreadFirstKey, false));

/** Puts unread rooms first, or all rooms by name. */
export function showUnreadFirst(isOn: boolean): void {
  isUnreadFirst.value = isOn;
  remember(unreadFirstKey, JSON.stringify(isOn));
}

/**
 * The room that was unread when it was opened: while it is open, it keeps its place among the
 * unread ones.
 */
export const heldRoom = signal<string | undefined>(undefined);

const isUnread = ({ id, unread, isMuted }: MyRoom) => (unread > 0 && !isMuted) || id === heldRoom.value;
const unreadFirst = (list: readonly MyRoom[]) => [...list.filter(isUnread), ...list.filter((room) => !isUnread(room))];

/** The list of my rooms, by its parts; undefined until it is known. */
export const sections = computed((): readonly Section[] | undefined => {
  const parts = partsByName.value;
  if (!parts || !isUnreadFirst.value) return parts;
  return parts.map(({ name, rooms }) => ({ name, rooms: unreadFirst(rooms) }));
});

const partsByName = computed((): readonly Section[] | undefined => {
  const list = rooms.value?.filter(isListed);
  if (!list) return undefined;
  const others = list.filter(({ isFavourite }) => !isFavourite);
  return [
    { name: 'favourites', rooms: list.filter(({ isFavourite }) => isFavourite).sort(byPlace) },
    { name: 'rooms', rooms: others.filter(({ isDirect }) => !isDirect).sort(byName) },
    { name: 'direct', rooms: others.filter(({ isDirect }) => isDirect) },
  ];
});

/** My rooms in the order of the list. */
export const roomsInOrder = (): MyRoom[] => (sections.value ?? []).flatMap((section) => section.rooms);

const key = 'chat-folded';

/** The parts of the list that are folded, in this browser. */
export const foldedSections = signal<readonly string[]>(recallJson<string[]>(key, []));

/** Folds a part of the list, or unfolds it. */
export function toggleSection(name: SectionName): void {
  const { value } = foldedSections;
  foldedSections.value = value.includes(name) ? value.filter((other) => other !== name) : [...value, name];
  remember(key, JSON.stringify(foldedSections.value));
}
