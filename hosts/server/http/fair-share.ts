import { setTimeout as delay } from 'node:timers/promises';
import { createSemaphore } from './semaphore.ts';

/*
 * Prevents one caller from monopolizing the process. Each caller runs a few requests at a time, and
 * has a credit of busy time that refills at its share of the clock. A caller without credit must
 * wait, but only while other callers are present. Ordinary use does not exhaust the credit.
 */

/**
 * The share of time that a caller gets in the long run, its credit in milliseconds, and its
 * concurrent requests.
 */
const share = 1 / 3;
const credit = 300;
const mostAtOnce = 4;

/** The most milliseconds charged for a request: a slow database is not the caller's fault. */
const mostChargedMs = 100;

/** How long a caller counts as present after a request. */
const presenceMs = 10_000;

/** The longest wait of a request before it is rejected. */
const longestWaitMs = 5_000;

type Account = {
  /** Used credit in milliseconds, as of `at`. */
  used: number;
  at: number;
  slots: ReturnType<typeof createSemaphore>;
};

/**
 * A running request. `pause` stops charging while it waits for another server or a thread, `resume`
 * continues. After `leave` it no longer counts as one of the caller's concurrent requests.
 */
export type FairRequest = { pause: () => void; resume: () => void; leave: () => void; end: () => void };

/** A clock in milliseconds, and a way to wait on it. */
type Clock = { now?: () => number; wait?: (milliseconds: number) => Promise<unknown> };

export function createFairShare({ now = () => performance.now(), wait = delay }: Clock = {}) {
  // In the order of each caller's last request.
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

  /** Milliseconds until the caller has credit again. */
  const dueOf = ({ used }: Account): number => Math.max(0, used - credit) / share;

  function forgetAbsent(): void {
    for (const [caller, { at }] of accounts) {
      if (now() - at < presenceMs) return;
      accounts.delete(caller);
    }
  }

  return {
    /** Begins a request when it is its turn; `undefined` if it had to wait too long. */
    begin(caller: string): FairRequest | Promise<FairRequest | undefined> {
      forgetAbsent();
      const account = accountOf(caller);
      if (accounts.size === 1) return start(account, false);
      const slot = account.slots.acquire(longestWaitMs);
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

  function start(account: Account, isCounted: boolean): FairRequest {
    let hasSlot = isCounted;
    let begun: number | undefined;
    const resume = () => {
      begun = now();
      running++;
    };
    const leave = () => {
      if (hasSlot) account.slots.release();
      hasSlot = false;
    };
    const pause = () => {
      if (begun === undefined) return;
      const took = Math.min(mostChargedMs, (now() - begun) / running);
      begun = undefined;
      running--;
      refill(account);
      account.used += took;
    };
    const end = () => {
      pause();
      leave();
    };
    resume();
    return { pause, resume, leave, end };
  }
}
