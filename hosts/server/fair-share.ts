import { setTimeout as delay } from 'node:timers/promises';

/*
 * Keeps one caller from taking the whole process while others ask: each has a credit of busy time, which fills up at its share of the clock.
 * Who has used it up waits for more, but only while somebody else is there, and nobody who asks at an ordinary pace ever notices.
 */

/** Which part of the time a caller gets for long, and how many milliseconds of it at once. */
const share = 1 / 3;
const credit = 300;

/** For how many milliseconds after a request its caller is there. */
const presence = 10_000;

/** After how many milliseconds of waiting a request is refused. */
const longestWait = 5_000;

type Account = {
  /** How many milliseconds of the credit are used. */
  used: number;
  /** How long a request of this caller usually takes: charged when it begins, and put right at its end. */
  usual: number;
  /** When both were known. */
  at: number;
};

/** A clock in milliseconds, and how to wait by it. */
type Clock = { now?: () => number; wait?: (milliseconds: number) => Promise<unknown> };

export function createFairShare({ now = () => performance.now(), wait = delay }: Clock = {}) {
  // In the order of the last request of each.
  const accounts = new Map<string, Account>();
  let running = 0;

  function accountOf(caller: string): Account {
    const account = accounts.get(caller) ?? { used: 0, usual: 0, at: now() };
    accounts.delete(caller);
    accounts.set(caller, account);
    account.used = Math.max(0, account.used - (now() - account.at) * share);
    account.at = now();
    return account;
  }

  function forgetAbsent(): void {
    for (const [caller, { at, used }] of accounts) {
      if (now() - at < presence || (now() - at) * share < used) return;
      accounts.delete(caller);
    }
  }

  return {
    /** Begins a request: resolves to what ends it, or to undefined when its turn would not come soon. */
    async begin(caller: string): Promise<(() => void) | undefined> {
      forgetAbsent();
      const account = accountOf(caller);
      const due = accounts.size > 1 ? Math.max(0, (account.used - credit) / share) : 0;
      if (due > longestWait) return undefined;
      const charged = account.usual;
      account.used += charged;
      if (due >= 1) await wait(due);
      const start = now();
      running++;
      return () => {
        const took = (now() - start) / running;
        running--;
        const { usual } = account;
        account.usual = usual + (took - usual) / 4;
        account.used = Math.max(0, account.used + took - charged);
      };
    },
  };
}
