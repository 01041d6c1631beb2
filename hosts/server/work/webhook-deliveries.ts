import { roomWork } from '../../../lib/delivery/room-work.ts';
import { workForRooms } from './room-work.ts';

/** Delivers the events of rooms to their webhooks. */
export const deliverMeanwhile = (options: { isFirst: boolean }) => workForRooms(roomWork.webhooks, options);
