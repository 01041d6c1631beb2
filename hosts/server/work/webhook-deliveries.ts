import { hasOutgoingWebhooks } from '../../../lib/notices/notices.ts';
import { deliverOfRoom, findUndelivered, retryDeliveries } from '../../../lib/senders/deliver.ts';
import { workForRooms } from './room-work.ts';

/** Sends the events of rooms to the receivers of their webhooks. */
export const deliverMeanwhile = ({ isFirst }: { isFirst: boolean }) =>
  workForRooms(
    {
      wait: 0,
      isWanted: hasOutgoingWebhooks,
      work: deliverOfRoom,
      retry: retryDeliveries,
      findMissed: findUndelivered,
      failure: 'events were not sent to webhooks',
    },
    { isFirst },
  );
