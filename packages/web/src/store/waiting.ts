import { computed } from '@preact/signals';
import { route } from '../routes.ts';
import { drafted, placeOf } from './drafts.ts';

/** The places in which a draft waits, the latest first: where one writes now, it does not wait. */
export const waitingDrafts = computed((): string[] => {
  const { value } = route;
  const open = value.name === 'room' ? [placeOf(value.room), placeOf(value.room, value.thread)] : [];
  // So does an edit, in its message.
  const isOpen = (place: string) =>
    open.includes(place) || (value.name === 'room' && place.startsWith(value.room) && place.split('/').length > 2);
  return [...drafted.value].filter((place) => !isOpen(place)).reverse();
});
