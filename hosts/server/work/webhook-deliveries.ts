import { roomWork } from '../../../lib/delivery/room-work.ts';
import { workForRooms } from './room-work.ts';

/** Sends the events of rooms to the receivers of their webhooks. */
export const deliverMeanwhile = (options: { isFirst: boolean }) => workForRooms(roomWork.webhooks, options);
