import type { RoomTask } from '../notices/carrier.ts';
import { hasDevices, hasOutgoingWebhooks } from '../notices/notices.ts';

/** When a task for a room that has news is due. The function that queues rooms needs this, and not the tasks. */
export type Due = {
  delayMs: number;
  /** True if there is any receiver at all. */
  isWanted: () => Promise<boolean>;
};

export const tasks: Record<RoomTask, Due> = {
  webhooks: { delayMs: 0, isWanted: hasOutgoingWebhooks },
  // Until then, a page that shows the message to its reader has marked it as read.
  devices: { delayMs: 4_000, isWanted: hasDevices },
};

/** The names of the tasks. */
export const taskNames = Object.keys(tasks) as RoomTask[];
