import { effect } from '@preact/signals';
import { lateCode } from '../device/late-code.ts';
import { route } from '../device/routes.ts';
import type { Event, Message } from '../service/api.ts';
import { settings } from '../service/settings.ts';
import { allUnread, forMe, roomOf, rooms } from '../store/rooms/rooms.ts';
import { safeName } from '../text/names.ts';

/** By then the first messages are shown, which do not wait for it; in milliseconds. */
const afterMessages = 1_000;

/** Loads what tells of news. */
const loadNotify = lateCode(() => import('./notify.ts'));

/** Shows what is new where it is seen from elsewhere: in the title and on the icon, and once the rooms are there in all other ways. */
export function showNews(): void {
  effect(() => {
    const { value } = route;
    const name = value.name === 'room' ? roomOf(value.room)?.name : undefined;
    const count = forMe.value;
    const mark = count > 0 ? `(${count}) ` : allUnread.value > 0 ? '• ' : '';
    document.title = `${mark}${name === undefined ? '' : `${safeName(name)} – `}${settings.name}`;
    const badge = navigator as { setAppBadge?: (count?: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
    const shown = count > 0 ? badge.setAppBadge?.(count) : badge.clearAppBadge?.();
    shown?.catch(() => {});
  });

  const stop = effect(() => {
    // What happened before is no news.
    const known = rooms.value;
    if (!known) return;
    queueMicrotask(() => stop());
    const start = () =>
      loadNotify().then(
        ({ startNotifying }) => startNotifying(known),
        () => {},
      );
    setTimeout(() => void start(), afterMessages);
  });
}

/** Tells of a new message that addresses those who are connected, which no list counts. */
export function tellOfHere(events: readonly Event[]): void {
  const sent = events.find((event) => event.type === 'message.created' && event.data.mentions_all === 'here');
  if (sent?.type !== 'message.created') return;
  loadNotify().then(
    (notify) => notify.tellOfHere(sent.data as Message),
    () => {},
  );
}
