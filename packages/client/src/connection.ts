import type { Calls } from './calls.ts';
import type { ClientFrame, ServerFrame, Time, WelcomeFrame } from './contract.ts';

/**
 * A listener of a connection. It is notified when the connection begins and ends, and of each
 * frame.
 */
export type Listener = {
  connected: () => void;
  disconnected: () => void;
  heard: (frame: ServerFrame) => void;
};

/**
 * The client's only WebSocket. It is open while there are listeners, and reconnects automatically.
 */
export type Connection = {
  /** Adds a listener until the returned function is called. */
  join: (listener: Listener) => () => void;
  /** Sends a typing indicator to a room, at most every 3 seconds, if there is a connection. */
  typing: (room: string) => void;
  /**
   * Watches these people instead of earlier ones. If the service shows presence, it sends theirs
   * now and after each reconnection.
   */
  watch: (users: readonly string[]) => void;
  /**
   * Reports that the user is active, at most once a minute, if there is a connection and the
   * service shows presence.
   */
  active: () => void;
  /** Checks immediately whether the connection is alive, or tries to connect. */
  check: () => void;
};

/** The settings of a connection. */
export type ConnectionSettings = {
  baseUrl: string;
  /** The WebSocket class; without it the client never connects. */
  WebSocket?: typeof globalThis.WebSocket | undefined;
  /** True if frames of rooms should contain their events. */
  events?: boolean;
};

// The longest wait for a response, in milliseconds.
const longestWaitMs = 10_000;
/**
 * The longest wait for the response to a ping while the user looks at the page, in milliseconds.
 */
const shortWaitMs = 5_000;
const longestBackoff = 30_000;
const rareTry = 5 * 60_000;
const typingEvery = 3_000;
const activeEvery = 60_000;

/** The `readyState` of an open WebSocket. */
const openState = 1;

/** The failed attempts after which a WebSocket is assumed to be blocked on the way. */
const mostFailures = 3;

/**
 * Connects while there are listeners. If a proxy blocks WebSockets, listeners are never notified of
 * a connection.
 */
export function connectionOf(client: Calls, { baseUrl, WebSocket, events = true }: ConnectionSettings): Connection {
  const listeners = new Set<Listener>();
  const typedAt = new Map<string, number>();
  let socket: WebSocket | undefined;
  let isGreeted = false;
  let watched: readonly string[] = [];
  /**
   * True if the service shows presence, and the time of the last report that the user is active.
   */
  let hasPresence = false;
  let activeAt = Number.NEGATIVE_INFINITY;
  let attempt: object | undefined;
  let failures = 0;
  let retries = 0;
  let pings = 0;
  let now: Time | undefined;
  /** The next action if nothing happens before: connect, give up, ping, or renew the connection. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewal: ReturnType<typeof setTimeout> | undefined;
  let ping: ((wait: number) => void) | undefined;

  const after = (milliseconds: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };

  // Browsers report a frame to a closing connection as an error. It would be lost; what matters is
  // sent again after the reconnection.
  const send = (frame: ClientFrame) => {
    if (socket?.readyState === openState) socket.send(JSON.stringify(frame));
  };

  async function connect(): Promise<void> {
    if (!WebSocket || attempt || listeners.size === 0) return;
    const mine = {};
    attempt = mine;
    const answer = await client
      .POST('/api/tickets', { body: {}, signal: AbortSignal.timeout(2 * longestWaitMs) })
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
      // The page must not open a WebSocket, or the address is not for browsers.
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
    // Each failure ends with the `close` event.
    const giveUp = () => {
      if (socket !== opened) return;
      opened.close();
      if (!isGreeted && ++failures >= mostFailures) end(rareTry);
      else end(wait);
    };
    after(longestWaitMs, giveUp);
    opened.onopen = () => send({ type: 'hello', events });
    // The `close` event follows.
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
      after(pause, () => askNow(longestWaitMs));
    };
    // A silent connection is pinged: it may have ended unnoticed, or this machine was asleep.
    const askNow = (wait: number) => {
      // A ping is pending. Timers stop while a machine sleeps, and run late in a hidden page.
      if (askedAt !== undefined) {
        after(askedAt + wait - performance.now(), lose);
        return;
      }
      askedAt = performance.now();
      send({ type: 'ping', id: ++pings, ...(now && { since: now }) });
      after(wait, wait === shortWaitMs ? lose : giveUp);
    };
    // If the user looks at the page, a new connection starts immediately.
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
      // Renew before the service closes the connection, and not all clients at the same time.
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
    if (isGreeted && hasPresence) send({ type: 'watch', users });
  };

  /** The connection has ended, or was never established. The next attempt follows after a delay. */
  function end(wait?: number): void {
    attempt = socket = ping = undefined;
    clearTimeout(renewal);
    if (isGreeted) for (const { disconnected } of listeners) disconnected();
    isGreeted = false;
    activeAt = Number.NEGATIVE_INFINITY;
    clearTimeout(timer);
    if (listeners.size === 0) return;
    // All clients reconnect after a restart of the service, so each waits for another time.
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
      send({ type: 'typing', room: { $oid: room } });
      typedAt.set(room, performance.now());
    },
    watch: (users) => {
      watched = users;
      sendWatch();
    },
    active: () => {
      if (!isGreeted || !hasPresence || performance.now() - activeAt < activeEvery) return;
      send({ type: 'active' });
      activeAt = performance.now();
    },
    check: () => {
      if (ping) ping(shortWaitMs);
      else if (!attempt && listeners.size > 0) void connect();
    },
  };
}

/**
 * The delays after some close codes, in milliseconds: the client was too slow, sent too much, sent
 * no hello, or its token has ended.
 */
const waits: Record<number, number> = { 4008: 5_000, 4029: 5_000, 4408: 5_000, 4401: rareTry };

/** Parses a frame. Unknown messages of newer services are ignored. */
function frameOf(data: unknown): ServerFrame | undefined {
  try {
    const frame = typeof data === 'string' ? JSON.parse(data) : undefined;
    return typeof frame?.type === 'string' ? frame : undefined;
  } catch {
    return undefined;
  }
}
