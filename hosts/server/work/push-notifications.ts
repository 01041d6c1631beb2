import { roomWork } from '../../../lib/delivery/room-work.ts';
import { workForRooms } from './room-work.ts';

/**
 * Sends push notifications about messages to devices whose page is closed and, with `isFirst`,
 * about reminders.
 */
export const pushMeanwhile = ({ isFirst, wait = roomWork.devices.delayMs }: { isFirst: boolean; wait?: number }) =>
  workForRooms({ ...roomWork.devices, delayMs: wait }, { isFirst });
