import { AsyncLocalStorage } from 'node:async_hooks';
import { HttpError } from './errors.ts';
import { createQueues } from './queues.ts';

/** The slot that a request has among those that a process works on. */
export type Turn = {
  /** The account or address that pays for the request. */
  caller: string;
  /** Gives the slot to another request. */
  pause: () => void;
  /** Takes a slot again, before requests that had none. Never rejects: the other party was asked, and its answer counts. */
  resume: () => Promise<void>;
};

/** A party outside the service that may be slow, or never answer. */
export type Party = 'receiver' | 'push service' | 'identity provider' | 'mail server' | 'object store';

const turns = new AsyncLocalStorage<Turn>();

/** Does the work of a request that has a slot. */
export const withTurn = <T>(turn: Turn, work: () => T): T => turns.run(turn, work);

/** The account or address that pays for the request that the current work belongs to; undefined without a slot. */
export const payerOfRequest = (): string | undefined => turns.getStore()?.caller;

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

/** Two queues, that of the host, and the call itself must fit into the time of a request: 1.5 + 1 + 1.5 + 5 seconds of 10. */
const limits = { patienceMs: 1_500, refuse: outsideBusy };

/** How many requests wait for addresses that users choose: one of each caller, and 32 in all. */
const ofCaller = createQueues({ ...limits, most: 1, mostWaiting: 4 });
/** An operator's own servers are quick, and many people may share an address: four of each caller. */
const ofCallerToOperator = createQueues({ ...limits, most: 4, mostWaiting: 16 });
const ofParty = createQueues({ ...limits, patienceMs: 1_000, most: 32, mostWaiting: 64 });

/**
 * Does work that waits for a party outside the service. A request gives its slot away meanwhile, so that a party which
 * hangs stops nobody else: too many requests that wait for the same party are refused, with 503. Work without a slot,
 * such as that of a function on Lambda or in the background, is just done.
 */
export async function waitOutside<T>(party: Party, work: () => Promise<T>): Promise<T> {
  const turn = turns.getStore();
  if (!turn) return work();
  const isChosenByUsers = party === 'receiver' || party === 'push service';
  const queues = isChosenByUsers ? ofCaller : ofCallerToOperator;
  turn.pause();
  try {
    return await queues(`${party} ${turn.caller}`, () => ofParty(party, work));
  } finally {
    await turn.resume();
  }
}
