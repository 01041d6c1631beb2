import { roomWork } from '../../../lib/delivery/room-work.ts';
import { workForRooms } from './room-work.ts';

/** Notifies devices of messages while their pages are closed, and with `isFirst` also of reminders. */
export const pushMeanwhile = ({ isFirst, wait = roomWork.devices.delayMs }: { isFirst: boolean; wait?: number }) =>
  workForRooms({ ...roomWork.devices, delayMs: wait }, { isFirst });
