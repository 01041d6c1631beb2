import type { RoomTask } from '../notices/carrier.ts';
import { hasDevices, hasOutgoingWebhooks } from '../notices/notices.ts';

/**
 * When a task for a room with news is due. It is separate from the task itself, because the
 * function that queues rooms does not load that.
 */
export type Due = {
  delayMs: number;
  /** Returns true if the task has any receiver. */
  isWanted: () => Promise<boolean>;
};

export const tasks: Record<RoomTask, Due> = {
  webhooks: { delayMs: 0, isWanted: hasOutgoingWebhooks },
  // By then, a page that shows the message to its reader has marked it as read.
  devices: { delayMs: 4_000, isWanted: hasDevices },
};

export const taskNames = Object.keys(tasks) as RoomTask[];
