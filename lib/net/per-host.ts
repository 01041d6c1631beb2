import { createQueues } from '../base/queues.ts';

/** Too many requests to a host are in progress. */
class BusyHostError extends Error {
  override name = 'BusyHostError';

  constructor() {
    super('Too many requests to this host are in progress.');
  }
}

/**
 * Sends a request to a host that a user has chosen when it is its turn. Rejects with a
 * `BusyHostError` if that takes too long. A slow host does not delay others, and no host is
 * flooded.
 */
export const inTurn = createQueues({ most: 4, mostWaiting: 100, patienceMs: 1_500, refuse: () => new BusyHostError() });
