import { createQueues } from '../base/queues.ts';

/** A host to which too many requests are under way. */
class BusyHostError extends Error {
  override name = 'BusyHostError';

  constructor() {
    super('Too many requests to this host are under way.');
  }
}

/**
 * Sends a request to a host that a user has chosen when it is its turn; rejects with a `BusyHostError` if that does not
 * come soon. A slow host delays no other, and none is flooded.
 */
export const inTurn = createQueues({ most: 4, mostWaiting: 100, patienceMs: 1_500, refuse: () => new BusyHostError() });
