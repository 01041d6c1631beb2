/*
 * How many requests are under way to each host that users have chosen: one that is slow holds up nobody else, and none
 * is flooded.
 */

/** How many requests to one host are under way at the same time, in this process. */
const most = 4;

/** How many may wait for their turn, and for how many milliseconds. */
const mostWaiting = 100;
const patience = 2_000;

/** A host to which too many requests are under way. */
class BusyHostError extends Error {
  override name = 'BusyHostError';

  constructor() {
    super('Too many requests to this host are under way.');
  }
}

type Host = { running: number; waiting: Set<() => void> };

const hosts = new Map<string, Host>();

/** Does work that sends a request to a host when it is its turn; rejects with a `BusyHostError` if that does not come soon. */
export async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const host = hosts.get(name) ?? { running: 0, waiting: new Set() };
  hosts.set(name, host);
  if (host.running >= most) await turnOf(host);
  else host.running++;
  try {
    return await work();
  } finally {
    const [next] = host.waiting;
    if (next) next();
    else if (--host.running === 0) hosts.delete(name);
  }
}

/** Waits for one of the requests to end, whose place is then taken. */
const turnOf = ({ waiting }: Host): Promise<void> =>
  new Promise((resolve, reject) => {
    if (waiting.size >= mostWaiting) return reject(new BusyHostError());
    const begin = () => {
      clearTimeout(timer);
      waiting.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(new BusyHostError());
    }, patience);
    waiting.add(begin);
  });
