import { AsyncLocalStorage } from 'node:async_hooks';
import { HttpError } from './errors.ts';
import { createQueues } from './queues.ts';

/** The slot of a request: a server works on a limited number of requests at a time. */
export type Turn = {
  /** The account or address that pays for the request. */
  caller: string;
  /** Releases the slot to another request. */
  pause: () => void;
  /** Stops counting the request as one of its caller's concurrent requests. */
  leave: () => void;
  /**
   * Takes a slot again, before requests that had none. Never rejects: the outside party has been
   * called, and its answer must not be lost.
   */
  resume: () => Promise<void>;
};

/** An external party, which may be slow or never answer. */
export type Party = 'receiver' | 'push service' | 'identity provider' | 'mail server' | 'object store';

const turns = new AsyncLocalStorage<Turn>();

/** Does the work of a request that has a slot. */
export const withTurn = <T>(turn: Turn, work: () => T): T => turns.run(turn, work);

/** The account or address that pays for the current request; undefined without a slot. */
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

/** Returns true for the refusal of a request before the outside party was contacted. */
export const isOutsideBusy = (error: unknown): boolean => error instanceof HttpError && error.body?.code === 'busy';

/**
 * Waiting in two queues, waiting in the host's queue, and the call must fit into the 10 s of a
 * request: 1.5 + 1 + 1.5 + 5 seconds.
 */
const limits = { patienceMs: 1_500, refuse: outsideBusy };

/** Concurrent calls to addresses that users chose: one per caller, and 32 in all (`ofParty`). */
const ofCaller = createQueues({ ...limits, most: 1, mostWaiting: 4 });
/**
 * Concurrent calls to the operator's servers: four per caller, because they are fast and many
 * people may share an address.
 */
const ofCallerToOperator = createQueues({ ...limits, most: 4, mostWaiting: 16 });
const ofParty = createQueues({ ...limits, patienceMs: 1_000, most: 32, mostWaiting: 64 });

/**
 * Does work that waits for an external party. The request releases its slot meanwhile, so that a
 * party that hangs blocks nobody else. If too many requests wait for the same party, the next is
 * refused with 503. Work without a slot, such as on Lambda or in the background, is not limited.
 */
export async function waitOutside<T>(party: Party, work: () => Promise<T>): Promise<T> {
  const turn = turns.getStore();
  if (!turn) return work();
  const isChosenByUsers = party === 'receiver' || party === 'push service';
  const queues = isChosenByUsers ? ofCaller : ofCallerToOperator;
  return withoutSlot(() => queues(`${party} ${turn.caller}`, () => ofParty(party, work)));
}

/** Does work that waits. The request releases its slot meanwhile. */
export async function withoutSlot<T>(work: () => Promise<T>): Promise<T> {
  const turn = turns.getStore();
  turn?.pause();
  try {
    return await work();
  } finally {
    await turn?.resume();
  }
}

/**
 * Does work that waits in a queue with limits of its own. The request releases its slot, and no
 * longer counts for its caller, because many people may share an address.
 */
export function withoutShare<T>(work: () => Promise<T>): Promise<T> {
  turns.getStore()?.leave();
  return withoutSlot(work);
}
