import { signal } from '@preact/signals';
import type { ServerFrame } from '../../service/api.ts';

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

type ActivityFrame = Extract<ServerFrame, { type: 'activity' }>;

/** The activities of bots and agents in threads, with the time when each disappears. */
export const activities = signal<readonly (ActivityFrame & { until: number })[]>([]);

/** The time for which a bot's activity is shown if it is not renewed, in milliseconds. */
const activityMs = 30_000;

/** Shows what a bot does in a thread; an empty text ends it. */
export function showActivity(frame: ActivityFrame): void {
  hideActivity(frame.thread.$oid, frame);
  if (frame.text === '') return;
  activities.value = [...activities.value, { ...frame, until: performance.now() + activityMs }];
  setTimeout(() => {
    activities.value = activities.value.filter(({ until }) => until > performance.now());
  }, activityMs + 1);
}

/**
 * Ends the activity of a bot or an agent that has answered in the thread. A user and their agents
 * have the same id, so the name of the agent counts as well.
 */
export function hideActivity(thread: string, { user, via }: Pick<ActivityFrame, 'user' | 'via'>): void {
  const isOther = (one: ActivityFrame) => one.thread.$oid !== thread || one.user.$oid !== user.$oid || one.via !== via;
  if (activities.value.length > 0) activities.value = activities.value.filter(isOther);
}
