import type { RoomTask } from '../notices/carrier.ts';
import { tellReminders } from '../notifications/reminders.ts';
import { findMissed, retryDevices, tellOfRoom } from '../notifications/tell.ts';
import { deliverOfRoom } from '../senders/deliver.ts';
import { findUndelivered, retryDeliveries } from '../senders/retry.ts';
import { type Due, tasks } from './tasks.ts';

/**
 * Work for a room that has news, except frames to connected clients. A host runs it when it is due:
 * a server from a queue in its process, AWS from an SQS queue.
 */
export type RoomWork = Due & {
  /**
   * Does the work of a room. Returns `more` if a part is left, and `taken` if another process has
   * the room.
   */
  run: (room: string, signal?: AbortSignal) => Promise<'all' | 'more' | 'taken'>;
  /** Retries failed work that is due. */
  retry: (signal?: AbortSignal) => Promise<void>;
  /** Finds the rooms whose work was lost: their last news is at least `restMs` old. */
  findMissed: (restMs?: number) => Promise<string[]>;
  /** The log line of a failure. */
  failure: string;
};

export const roomWork: Record<RoomTask, RoomWork> = {
  webhooks: {
    ...tasks.webhooks,
    run: deliverOfRoom,
    retry: retryDeliveries,
    findMissed: findUndelivered,
    failure: 'events were not sent to webhooks',
  },
  devices: {
    ...tasks.devices,
    run: tellOfRoom,
    retry: async (signal) => {
      await retryDevices(signal);
      await tellReminders(signal);
    },
    findMissed,
    failure: 'devices were not told',
  },
};
