import { setTimeout as delay } from 'node:timers/promises';
import { createSemaphore } from './semaphore.ts';

/*
 * Keeps one caller from taking the whole process while others ask: each runs a few requests at a time, and has a credit of busy time, which
 * fills up at its share of the clock. Who has used it up waits for more, but only while somebody else is there; nobody who asks at an ordinary
 * pace ever notices.
 */

/** Which part of the time a caller gets for long, how many milliseconds of it at once, and how many requests at a time. */
const share = 1 / 3;
const credit = 300;
const mostAtOnce = 4;

/** At most so many milliseconds are charged for one request: when the database is slow, that is not its caller's doing. */
const mostCharged = 100;

/** For how many milliseconds after a request its caller is there. */
const presence = 10_000;

/** After how many milliseconds of waiting a request is refused. */
const longestWait = 5_000;

type Account = {
  /** How many milliseconds of the credit were used at a time. */
  used: number;
  at: number;
  slots: ReturnType<typeof createSemaphore>;
};

/** A request that runs: `pause` stops the charge while it waits for another server, `resume` goes on. */
export type FairRequest = { pause: () => void; resume: () => void; end: () => void };

/** A clock in milliseconds, and how to wait by it. */
type Clock = { now?: () => number; wait?: (milliseconds: number) => Promise<unknown> };

export function createFairShare({ now = () => performance.now(), wait = delay }: Clock = {}) {
  // In the order of the last request of each.
  const accounts = new Map<string, Account>();
  let running = 0;

  function accountOf(caller: string): Account {
    const account = accounts.get(caller) ?? { used: 0, at: now(), slots: createSemaphore(mostAtOnce) };
    accounts.delete(caller);
    accounts.set(caller, account);
    refill(account);
    return account;
  }

  function refill(account: Account): void {
    account.used = Math.max(0, account.used - (now() - account.at) * share);
    account.at = now();
  }

  /** How many milliseconds pass until the caller has credit again. */
  const dueOf = ({ used }: Account): number => Math.max(0, used - credit) / share;

  function forgetAbsent(): void {
    for (const [caller, { at }] of accounts) {
      if (now() - at < presence) return;
      accounts.delete(caller);
    }
  }

  return {
    /** Begins a request, once it is its turn: gives undefined if its turn did not come in time. */
    begin(caller: string): FairRequest | Promise<FairRequest | undefined> {
      forgetAbsent();
      const account = accountOf(caller);
      if (accounts.size === 1) return start(account, false);
      const slot = account.slots.acquire(longestWait);
      if (slot === true && dueOf(account) < 1) return start(account, true);
      return inTurn(account, slot);
    },
  };

  async function inTurn(account: Account, slot: true | Promise<boolean>): Promise<FairRequest | undefined> {
    if (!(await slot)) return undefined;
    refill(account);
    const due = dueOf(account);
    if (due >= 1) await wait(due);
    return start(account, true);
  }

  function start(account: Account, hasSlot: boolean): FairRequest {
    let begun: number | undefined;
    const resume = () => {
      begun = now();
      running++;
    };
    const pause = () => {
      if (begun === undefined) return;
      const took = Math.min(mostCharged, (now() - begun) / running);
      begun = undefined;
      running--;
      refill(account);
      account.used += took;
    };
    const end = () => {
      pause();
      if (hasSlot) account.slots.release();
    };
    resume();
    return { pause, resume, end };
  }
}
