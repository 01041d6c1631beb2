import { computed } from '@preact/signals';
import { route } from '../routes.ts';
import { drafted, placeOf } from './drafts.ts';

/** The places in which a draft waits, the latest first: where one writes now, it does not wait. */
export const waitingDrafts = computed((): string[] => {
  const { value } = route;
  const open = value.name === 'room' ? [placeOf(value.room), placeOf(value.room, value.thread)] : [];
  return [...drafted.value].filter((place) => !open.includes(place)).reverse();
});
