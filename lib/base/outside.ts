import { AsyncLocalStorage } from 'node:async_hooks';
import { HttpError } from './errors.ts';
import { createQueues } from './queues.ts';

/** The slot that a request has among those that a process works on. */
export type Turn = {
  /** The account or address that pays for the request. */
  caller: string;
  /** Gives the slot to another request. */
  pause: () => void;
  /** Takes a slot again; rejects if none becomes free in time. */
  resume: () => Promise<void>;
};

/** A party outside the service that may be slow, or never answer. */
export type Party = 'receiver' | 'push service' | 'identity provider' | 'mail server' | 'object store';

const turns = new AsyncLocalStorage<Turn>();

/** Does the work of a request that has a slot. */
export const withTurn = <T>(turn: Turn, work: () => T): T => turns.run(turn, work);

export const outsideBusy = (): HttpError =>
  new HttpError(
    503,
    {
      title: 'Service unavailable',
      description: 'Too many requests wait for another server. Try again in a few seconds.',
      code: 'busy',
    },
    { 'Retry-After': '5' },
  );

const limits = { patienceMs: 3_000, refuse: outsideBusy };

/** How many requests wait for addresses that users choose: one of each caller, and 32 in all. */
const ofCaller = createQueues({ ...limits, most: 1, mostWaiting: 4 });
/** An operator's own servers are quick, and many people may share an address: four of each caller. */
const ofCallerToOperator = createQueues({ ...limits, most: 4, mostWaiting: 16 });
const ofParty = createQueues({ ...limits, most: 32, mostWaiting: 64 });

/**
 * Does work that waits for a party outside the service. A request gives its slot away meanwhile, so that a party which
 * hangs stops nobody else: too many requests that wait for the same party are refused, with 503. Work without a slot,
 * such as that of a function on Lambda or in the background, is just done. `account` pays instead of the caller.
 */
export async function waitOutside<T>(party: Party, work: () => Promise<T>, account?: string): Promise<T> {
  const turn = turns.getStore();
  if (!turn) return work();
  const isChosenByUsers = party === 'receiver' || party === 'push service';
  const queues = isChosenByUsers ? ofCaller : ofCallerToOperator;
  turn.pause();
  try {
    return await queues(`${party} ${account ?? turn.caller}`, () => ofParty(party, work));
  } finally {
    await turn.resume();
  }
}
