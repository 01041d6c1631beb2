import { computed, signal } from '@preact/signals';
import { route } from '../../device/routes.ts';
import { drafted, placeOf } from './drafts.ts';

/**
 * By place: the row in which a message is being edited. A room and a thread may both show the
 * message.
 */
export const editors = signal<ReadonlyMap<string, unknown>>(new Map());

/** The places of waiting drafts, the latest first. A draft in the open editor does not wait. */
export const waitingDrafts = computed((): string[] => {
  const { value } = route;
  const open = value.name === 'room' ? [placeOf(value.room), placeOf(value.room, value.thread)] : [];
  return [...drafted.value].filter((place) => !open.includes(place) && !editors.value.has(place)).reverse();
});
