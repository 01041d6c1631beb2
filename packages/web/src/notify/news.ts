import { effect } from '@preact/signals';
import { lateCode } from '../device/late-code.ts';
import { route } from '../device/routes.ts';
import type { Event } from '../service/api.ts';
import { settings } from '../service/settings.ts';
import { allUnread, forMe, roomOf, rooms } from '../store/rooms/rooms.ts';
import { safeName } from '../text/names.ts';

/** By then the first messages are shown, which do not wait for it; in milliseconds. */
const afterMessagesMs = 1_000;

/** Loads the code that shows notifications. */
const loadNotify = lateCode(() => import('./notify.ts'));

/**
 * Shows new messages outside of the page: in the title and on the icon, and in all other ways once
 * the rooms are loaded.
 */
export function showNews(): void {
  effect(() => {
    const { value } = route;
    const name = value.name === 'room' ? roomOf(value.room)?.name : undefined;
    const count = forMe.value;
    const mark = count > 0 ? `(${count}) ` : allUnread.value > 0 ? '• ' : '';
    const title = `${mark}${name === undefined ? '' : `${safeName(name)} – `}${settings.name}`;
    // Even the same title replaces a node. Chromium then starts another undo step for typed text.
    if (title !== document.title) document.title = title;
    const badge = navigator as { setAppBadge?: (count?: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
    const shown = count > 0 ? badge.setAppBadge?.(count) : badge.clearAppBadge?.();
    shown?.catch(() => {});
  });

  const stop = effect(() => {
    // Earlier events are not news.
    const known = rooms.value;
    if (!known) return;
    queueMicrotask(() => stop());
    const start = () =>
      loadNotify().then(
        ({ startNotifying }) => startNotifying(known),
        () => {},
      );
    setTimeout(() => void start(), afterMessagesMs);
  });
}

/**
 * Passes on pushed events that the list of rooms does not show: messages to connected members, and
 * messages that stream.
 */
export function tellOfEvents(events: readonly Event[]): void {
  const isOwn = (event: Event) =>
    event.type === 'message.completed' ||
    (event.type === 'message.created' && (event.data.is_streaming || event.data.mentions_all === 'here'));
  if (!events.some(isOwn)) return;
  loadNotify().then(
    (notify) => notify.tellOfEvents(events),
    () => {},
  );
}
