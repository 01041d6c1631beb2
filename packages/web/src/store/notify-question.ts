import { signal } from '@preact/signals';
import { recall, remember } from '../device/storage.ts';

/*
 * The page asks once in each browser whether it may notify: after the first message, when people
 * know what for.
 */

const key = 'chat-asked-to-notify';

/** True while the question is shown. */
export const isNotifyAsked = signal(false);

/** Asks, unless the browser has decided or the question was answered before. */
export function askToNotify(): void {
  const isUndecided = 'Notification' in window && window.isSecureContext && Notification.permission === 'default';
  if (isUndecided && recall(key) === undefined) isNotifyAsked.value = true;
}

/** Never asks again in this browser. */
export function closeNotifyQuestion(): void {
  remember(key, new Date().toISOString());
  isNotifyAsked.value = false;
}
