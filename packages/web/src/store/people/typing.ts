import { signal } from '@preact/signals';

/** The people who are typing, in which room, and until when this is shown. */
export const typing = signal<readonly { room: string; user: string; username: string; until: number }[]>([]);

/** How long typing is shown. A user who continues is reported again before that. */
const shownForMs = 6_000;

/** Shows that someone is typing. */
export function showTyping(room: string, user: string, username: string): void {
  hideTyping(room, user);
  typing.value = [...typing.value, { room, user, username, until: performance.now() + shownForMs }];
  setTimeout(() => {
    typing.value = typing.value.filter(({ until }) => until > performance.now());
  }, shownForMs + 1);
}

/** Someone has said it. */
export function hideTyping(room: string, user: string): void {
  if (typing.value.length > 0) typing.value = typing.value.filter((one) => one.room !== room || one.user !== user);
}
