import type { Calls } from './calls.ts';
import type { ClientFrame, ServerFrame, Time, WelcomeFrame } from './contract.ts';

/** Who uses a connection: is told when it begins and ends, and every frame between. */
export type Listener = {
  connected: () => void;
  disconnected: () => void;
  heard: (frame: ServerFrame) => void;
};

/** The one WebSocket of a client, which is there while somebody listens, and comes back by itself. */
export type Connection = {
  /** Listens until the function that it returns is called. */
  join: (listener: Listener) => () => void;
  /** Tells the others in a room that the user is typing, at most every 3 seconds, if there is a connection. */
  typing: (room: string) => void;
  /** Watches these people, in place of others: the service tells how they are, now and after each new connection, where it tells that. */
  watch: (users: readonly string[]) => void;
  /** Says that the user does something, at most once a minute, if there is a connection to a service that wants to know. */
  active: () => void;
  /** Sees at once whether the connection is alive, or tries to get one. */
  check: () => void;
};

/** How to connect. */
export type ConnectionSettings = {
  baseUrl: string;
  /** What makes a WebSocket; without it there is never a connection. */
  WebSocket?: typeof globalThis.WebSocket | undefined;
  /** Whether rooms' frames are to have their events. */
  events?: boolean;
};

// In milliseconds.
const longestWait = 10_000;
/** How long somebody who looks at the page waits for the answer to a ping. */
const shortWait = 5_000;
const longestBackoff = 30_000;
const rareTry = 5 * 60_000;
const typingEvery = 3_000;
const activeEvery = 60_000;

/** So many attempts without an answer from a WebSocket: something between lets none pass. */
const mostFailures = 3;

/** Connects while somebody listens. Who can't, as behind a proxy that knows no WebSocket, is never told of a connection. */
export function connectionOf(client: Calls, { baseUrl, WebSocket, events = true }: ConnectionSettings): Connection {
  const listeners = new Set<Listener>();
  const typedAt = new Map<string, number>();
  let socket: WebSocket | undefined;
  let isGreeted = false;
  let watched: readonly string[] = [];
  /** Whether the service tells who is active, and when it was told last that the user is. */
  let hasPresence = false;
  let activeAt = Number.NEGATIVE_INFINITY;
  let attempt: object | undefined;
  let failures = 0;
  let retries = 0;
  let pings = 0;
  let now: Time | undefined;
  /** The next thing to do if nothing happens: to connect, to give up, to ping, or to renew the connection. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewal: ReturnType<typeof setTimeout> | undefined;
  let ping: ((wait: number) => void) | undefined;

  const after = (milliseconds: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };

  async function connect(): Promise<void> {
    if (!WebSocket || attempt || listeners.size === 0) return;
    const mine = {};
    attempt = mine;
    const answer = await client
      .POST('/api/tickets', { body: {}, signal: AbortSignal.timeout(2 * longestWait) })
      .catch(() => undefined);
    if (attempt !== mine) return;
    if (!answer?.data) {
      const { status } = answer?.response ?? { status: 503 };
      const isTemporary = status >= 500 || status === 429;
      return end(isTemporary ? undefined : rareTry);
    }
    try {
      open(new WebSocket(addressOf(answer.data.url), ['chat.v1', `ticket.${answer.data.ticket}`]));
    } catch {
      // This page may not open one, or the address is not for browsers.
      end(rareTry);
    }
  }

  function addressOf(url: string): URL {
    const { location } = globalThis as { location?: { href: string } };
    const address = new URL(url, new URL(baseUrl, location?.href));
    address.protocol = address.protocol.replace('http', 'ws');
    return address;
  }

  function open(opened: WebSocket): void {
    socket = opened;
    let wait: number | undefined;
    // Whatever is wrong with it ends as its close.
    const giveUp = () => {
      if (socket !== opened) return;
      opened.close();
      if (!isGreeted && ++failures >= mostFailures) end(rareTry);
      else end(wait);
    };
    after(longestWait, giveUp);
    opened.onopen = () => opened.send(JSON.stringify({ type: 'hello', events } satisfies ClientFrame));
    // Its close follows.
    opened.onerror = () => {};
    opened.onclose = ({ code }) => {
      wait ??= waits[code];
      giveUp();
    };
    opened.onmessage = ({ data }) => {
      const frame = frameOf(data);
      if (!frame || socket !== opened) return;
      if (frame.type === 'hello') greet(frame);
      else if (frame.type === 'pong') rest(frame);
      else if (frame.type === 'bye')
        wait = !frame.reconnect ? rareTry : frame.within === undefined ? waits[frame.code] : Math.random() * frame.within * 1_000;
      for (const { heard } of listeners) heard(frame);
    };

    let pause = 0;
    let askedAt: number | undefined;
    const rest = ({ now: told }: { now: Time }) => {
      now = told;
      askedAt = undefined;
      after(pause, () => askNow(longestWait));
    };
    // What has ended without a word, or slept with this machine, is found out by its silence.
    const askNow = (wait: number) => {
      // Asked already: timers stand still while a machine sleeps, and run late in a page that nobody looks at.
      if (askedAt !== undefined) {
        after(askedAt + wait - performance.now(), lose);
        return;
      }
      askedAt = performance.now();
      opened.send(JSON.stringify({ type: 'ping', id: ++pings, ...(now && { since: now }) } satisfies ClientFrame));
      after(wait, wait === shortWait ? lose : giveUp);
    };
    // Somebody looks: another connection is begun at once.
    const lose = () => {
      wait = 0;
      giveUp();
    };
    const greet = (hello: WelcomeFrame) => {
      isGreeted = true;
      hasPresence = hello.presence ?? false;
      if (watched.length > 0) sendWatch();
      failures = retries = 0;
      pause = hello.ping * 1_000;
      ping = askNow;
      rest(hello);
      // Before the service ends it, and not all at one moment.
      const lifetime = (hello.lifetime ?? 0) * 1_000 * (0.85 + 0.1 * Math.random());
      if (lifetime > 0)
        renewal = setTimeout(() => {
          wait = 0;
          giveUp();
        }, lifetime);
      for (const { connected } of listeners) connected();
    };
  }

  const sendWatch = () => {
    const users = watched.map(($oid) => ({ $oid }));
    if (isGreeted && hasPresence) socket?.send(JSON.stringify({ type: 'watch', users } satisfies ClientFrame));
  };

  /** The connection has ended, or there never was one; the next attempt comes after a while. */
  function end(wait?: number): void {
    attempt = socket = ping = undefined;
    clearTimeout(renewal);
    if (isGreeted) for (const { disconnected } of listeners) disconnected();
    isGreeted = false;
    activeAt = Number.NEGATIVE_INFINITY;
    clearTimeout(timer);
    if (listeners.size === 0) return;
    // All clients of a service that was restarted come back: each at another moment.
    const backoff = 500 + Math.random() * Math.min(longestBackoff, 1_000 * 2 ** retries++);
    after(wait ?? backoff, () => void connect());
  }

  return {
    join: (listener) => {
      listeners.add(listener);
      if (isGreeted) listener.connected();
      else if (listeners.size === 1) void connect();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        const left = socket;
        end();
        left?.close();
      };
    },
    typing: (room) => {
      const last = typedAt.get(room) ?? Number.NEGATIVE_INFINITY;
      if (!isGreeted || performance.now() - last < typingEvery) return;
      socket?.send(JSON.stringify({ type: 'typing', room: { $oid: room } } satisfies ClientFrame));
      typedAt.set(room, performance.now());
    },
    watch: (users) => {
      watched = users;
      sendWatch();
    },
    active: () => {
      if (!isGreeted || !hasPresence || performance.now() - activeAt < activeEvery) return;
      socket?.send(JSON.stringify({ type: 'active' } satisfies ClientFrame));
      activeAt = performance.now();
    },
    check: () => {
      if (ping) ping(shortWait);
      else if (!attempt && listeners.size > 0) void connect();
    },
  };
}

/** How long to wait after some close codes, in milliseconds: too slow, too much said, no hello, the token has ended. */
const waits: Record<number, number> = { 4008: 5_000, 4029: 5_000, 4408: 5_000, 4401: rareTry };

/** A frame, if it is one; what a newer service may say besides is ignored. */
function frameOf(data: unknown): ServerFrame | undefined {
  try {
    const frame = typeof data === 'string' ? JSON.parse(data) : undefined;
    return typeof frame?.type === 'string' ? frame : undefined;
  } catch {
    return undefined;
  }
}
