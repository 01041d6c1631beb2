import cluster, { type Worker } from 'node:cluster';
import type { Listener, ServerNotice } from '../../../lib/notices/notices.ts';
import { askWorker, tellWorker } from '../ask-worker.ts';

/** Connects the processes that share a port. */
export type Relay = {
  /** Resolves when the notices of all processes arrive here. */
  follow: () => Promise<void>;
  /** Passes a notice on to the other processes, if clients are connected to them. */
  send: (notice: ServerNotice) => void;
  /** Adds a listener for notices of other processes. Returns a function that removes it. */
  onNotice: (listener: Listener) => () => void;
};

/** A message between the processes. */
type Message =
  | { kind: 'notices'; notices: ServerNotice[] }
  /**
   * A worker sends `follow`. The primary sends `followed` to all workers and collects their
   * `heard`. Then it sends `following`: from now on, all notices arrive.
   */
  | { kind: 'follow' | 'followed' | 'heard' | 'following' }
  /** No worker follows yet. */
  | { kind: 'quiet' };

/** Milliseconds for which notices are gathered. Several notices of a busy room become one. */
const gatherTime = 10;

/** The relay of a worker. */
export function relayOfWorker(): Relay {
  // The channel ends with the primary, and this process with it.
  const tell = (message: Message) => process.connected && process.send?.(message, () => undefined);
  // A new worker assumes that another one follows, until the primary says otherwise.
  let isFollowed = true;
  let following: Promise<void> | undefined;
  let resolveFollowing: () => void;
  const listeners = new Set<Listener>();
  let gathered = new Map<string, ServerNotice>();

  process.on('message', (message: Message) => {
    if (message.kind === 'notices') for (const notice of message.notices) for (const listener of listeners) listener(notice);
    else if (message.kind === 'following') resolveFollowing();
    else if (message.kind === 'quiet') isFollowed = false;
    else if (message.kind === 'followed') {
      isFollowed = true;
      tell({ kind: 'heard' });
    }
  });

  const flush = () => {
    const notices = [...gathered.values()];
    gathered = new Map();
    tell({ kind: 'notices', notices });
  };

  return {
    follow: () => {
      following ??= new Promise((resolve) => {
        resolveFollowing = resolve;
        tell({ kind: 'follow' });
      });
      return following;
    },
    send: (notice) => {
      if (!isFollowed) return;
      if (gathered.size === 0) setTimeout(flush, gatherTime);
      // For each room, only the latest position matters.
      const key = notice.type === 'moved' && !notice.joined && !notice.left ? `moved ${notice.room}` : String(gathered.size);
      const earlier = gathered.get(key);
      const isOlder = earlier?.type === 'moved' && notice.type === 'moved' && earlier.seq > notice.seq;
      if (!isOlder) gathered.set(key, notice);
    },
    onNotice: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Relays notices between workers. Runs in their primary. `workers` are the ready ones. */
export function relayBetween(workers: ReadonlySet<Worker>): void {
  const followers = new Set<Worker>();

  cluster.on('listening', (worker) => {
    if (followers.size === 0) tellWorker(worker, { kind: 'quiet' });
  });
  cluster.on('exit', (worker) => followers.delete(worker));
  cluster.on('message', (worker, message: Message) => {
    if (message.kind === 'notices') {
      for (const follower of followers) if (follower !== worker) tellWorker(follower, message);
    } else if (message.kind === 'follow') void follow(worker);
  });

  async function follow(worker: Worker): Promise<void> {
    followers.add(worker);
    await Promise.all([...workers].map((other) => askWorker(other, { kind: 'followed' }, 'heard')));
    tellWorker(worker, { kind: 'following' });
  }
}
