import { Timeline } from './timeline.ts';

const timelines = new Map<string, Timeline>();

/** The rooms that stay in memory, so that returning to one is immediate. */
const most = 8;

/** The timeline of a room, which is made when it is asked for first. */
export function timelineOf(room: string): Timeline {
  const timeline = timelines.get(room) ?? new Timeline(room);
  timelines.delete(room);
  timelines.set(room, timeline);
  for (const oldest of [...timelines.keys()].slice(0, -most)) timelines.delete(oldest);
  return timeline;
}

/** The timeline of a room if it is in memory. */
export const knownTimeline = (room: string): Timeline | undefined => timelines.get(room);

/** Forgets a room, or all of them. */
export function dropTimeline(room?: string): void {
  if (room === undefined) timelines.clear();
  else timelines.delete(room);
}
