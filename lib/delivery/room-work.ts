import type { RoomTask } from '../notices/carrier.ts';
import { tellReminders } from '../notifications/reminders.ts';
import { findMissed, retryDevices, tellOfRoom } from '../notifications/tell.ts';
import { deliverOfRoom, findUndelivered, retryDeliveries } from '../senders/deliver.ts';
import { type Due, tasks } from './tasks.ts';

/**
 * Work for a room that has news, frames to connected clients aside. A host runs it when it is due: a server from a
 * queue in its process, AWS from a queue of SQS.
 */
export type RoomWork = Due & {
  /** Does the work: all of it, a part with more to come, or none because another process has the room. */
  run: (room: string, signal?: AbortSignal) => Promise<'all' | 'more' | 'taken'>;
  /** Does what failed before and is due. */
  retry: (signal?: AbortSignal) => Promise<void>;
  /** Finds the rooms whose work was lost, with no news for `restMs`. */
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
