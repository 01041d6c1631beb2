import { hasDevices } from '../../../lib/notices/notices.ts';
import { tellReminders } from '../../../lib/notifications/reminders.ts';
import { findMissed, patience, retryDevices, tellOfRoom } from '../../../lib/notifications/tell.ts';
import { workForRooms } from './room-work.ts';

/** Tells devices of messages while their pages are closed, and with `isFirst` also of reminders. */
export const pushMeanwhile = ({ isFirst, wait = patience }: { isFirst: boolean; wait?: number }) =>
  workForRooms(
    {
      wait,
      isWanted: hasDevices,
      work: tellOfRoom,
      retry: async (signal) => {
        await retryDevices(signal);
        await tellReminders(signal);
      },
      findMissed,
      failure: 'devices were not told',
    },
    { isFirst },
  );
