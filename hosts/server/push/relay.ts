import cluster, { type Worker } from 'node:cluster';
import type { Listener, ServerNotice } from '../../../lib/notices/notices.ts';
import { askWorker, tellWorker } from '../ask-worker.ts';

/** What connects the processes that share a port. */
export type Relay = {
  /** Resolves when every notice of every process comes here. */
  follow: () => Promise<void>;
  /** Passes a notice on to the others, if anybody is connected to one of them. */
  send: (notice: ServerNotice) => void;
  /** What is to be done with a notice of another process; returns what ends that. */
  onNotice: (listener: Listener) => () => void;
};

/** What processes say to each other. */
type Message =
  | { kind: 'notices'; notices: ServerNotice[] }
  /** A worker wants notices; all workers are told, and have heard; so they come from now on. */
  | { kind: 'follow' | 'followed' | 'heard' | 'following' }
  /** Nobody wants notices yet. */
  | { kind: 'quiet' };

/** For how many milliseconds notices are gathered, so that a busy room is one of them. */
const gatherTime = 10;

/** The relay of a worker. */
export function relayOfWorker(): Relay {
  // The channel ends with the primary, and this process with it.
  const tell = (message: Message) => process.connected && process.send?.(message, () => undefined);
  // A new worker assumes that somebody listens, until the primary says that nobody does.
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
      // Of one room, the last says it all.
      const key = notice.type === 'moved' && !notice.joined ? `moved ${notice.room}` : String(gathered.size);
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

/** Passes notices on between workers, in their primary. `workers` are those that take requests. */
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
