import dns from 'node:dns';
import { LruCache } from '../base/lru-cache.ts';
import { createQueues } from '../base/queues.ts';

/*
 * Resolves host names that users choose. `dns.lookup` would use threads that the whole process
 * shares. A silent name server occupies such a thread for seconds, and the look-up cannot be
 * cancelled. c-ares does not need threads and can be cancelled.
 */

const resolverOptions = { timeout: 1_500, tries: 2 };
const longestLookupMs = 5_000;

/** A failed name is not looked up again during this time, because its user may ask for it often. */
const failureMs = 60_000;
const failures = new LruCache<{ error: Error; until: number }>(1_000);

/**
 * An account has two concurrent look-ups. So an account with many names of a silent name server
 * uses few sockets.
 */
const inTurnOfAccount = createQueues({
  most: 2,
  mostWaiting: 100,
  patienceMs: longestLookupMs,
  refuse: () => new Error('Too many name look-ups are in progress.'),
});

/**
 * Resolves a name to its IPv4 and IPv6 addresses, within the quota of the account `payer`. Rejects
 * if it does not find any within five seconds of its turn.
 */
export async function resolveName(name: string, payer?: string): Promise<dns.LookupAddress[]> {
  // Name servers may not know it (RFC 6761, 6.3).
  if (/^(.+\.)?localhost\.?$/.test(name)) return [{ address: '127.0.0.1', family: 4 }];
  throwKnownFailure(name);
  return payer === undefined ? lookUp(name) : inTurnOfAccount(payer, () => lookUp(name));
}

function throwKnownFailure(name: string): void {
  const failure = failures.get(name);
  if (failure && performance.now() < failure.until) throw failure.error;
}

async function lookUp(name: string): Promise<dns.LookupAddress[]> {
  // Another look-up of the name may have failed while this one waited.
  throwKnownFailure(name);
  try {
    const found = await askNameServers(name);
    failures.delete(name);
    return found;
  } catch (error) {
    failures.set(name, { error: error as Error, until: performance.now() + failureMs });
    throw error;
  }
}

async function askNameServers(name: string): Promise<dns.LookupAddress[]> {
  const resolver = new dns.promises.Resolver(resolverOptions);
  resolver.setServers(dns.getServers());
  const late = setTimeout(() => resolver.cancel(), longestLookupMs);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer, at) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
    );
    if (found.length > 0) return found;
    throw answers.find((answer) => answer.status === 'rejected')?.reason ?? new Error(`${name} does not have an address.`);
  } finally {
    clearTimeout(late);
  }
}
