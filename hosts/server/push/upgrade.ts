import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { withDeadline } from '../../../lib/base/deadline.ts';
import { HttpError, serviceUnavailable, tooManyRequests } from '../../../lib/base/errors.ts';
import { LruCache } from '../../../lib/base/lru-cache.ts';
import { whyUnavailable } from '../../../lib/database/failures.ts';
import { baseChain, rejectWith, toLambdaHandler } from '../../../lib/http/base-chain.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import type { ApiEvent, ApiResponse, CallerField } from '../../../lib/http/request.ts';
import type { Caller } from '../../../lib/identity/caller.ts';
import { protocol, socketLimits } from '../../../lib/push/frames.ts';
import { findOpener, tooManyConnections } from '../../../lib/push/open.ts';
import { makeContext, makeEvent, splitTarget } from '../http/event.ts';
import { ambiguous, isPlain } from '../http/plain.ts';
import { respondRaw } from '../http/respond.ts';
import { sourceOf } from '../http/source.ts';
import { Bucket } from './bucket.ts';
import { longestClose } from './connection.ts';
import type { Hub } from './hub.ts';
import { answer, count } from './talk.ts';

/** The path of the WebSocket endpoint. */
const path = '/socket';
const route = { name: 'socket', method: 'GET', path, file: '', exported: '' };

/** Number of users whose rate of handshakes is tracked. */
const mostUsers = 10_000;

/**
 * True if a request should become a WebSocket. The server handles all other requests as if they had
 * not asked for an upgrade.
 */
export const isForSocket = ({ url = '', headers }: IncomingMessage): boolean =>
  splitTarget(url).path === path && /^websocket$/i.test(headers.upgrade ?? '');

type Door = {
  trustProxy: number;
  /** Runs a handler within the fair share of its caller, as for other requests. */
  run: (handler: Handler, ...input: Parameters<Handler>) => Promise<ApiResponse>;
  /** Limit of connections. */
  most: number;
  isClosing: () => boolean;
  /** Time limit of a handshake in milliseconds. */
  time: number;
};

// Options that the library's types lack: the time limit of a close, also after a protocol error or
// an oversized frame, and manual pongs. We count pings ourselves, to respond to clients that send
// too many.
const unlisted = { closeTimeout: longestClose, maxPendingAutoPongs: 0 };

/** Makes a server accept WebSockets, which it passes to the hub. */
export function openSockets(server: Server, hub: Hub, { trustProxy, run, most, isClosing, time }: Door): void {
  const library = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    ...unlisted,
    maxPayload: socketLimits.frame,
    handleProtocols: () => protocol,
  });
  /** The number of connections, and of each user, including those being opened. */
  let taken = 0;
  const takenBy = new Map<string, number>();
  const handshakes = new LruCache<Bucket>(mostUsers);
  const isFull = () => isClosing() || taken >= most;

  /** Counts a connection of a user until its socket closes. Throws if there are too many. */
  function takePlace(user: string, socket: Socket | undefined): void {
    const bucket = handshakes.get(user) ?? new Bucket(socketLimits.handshakesPerMinute);
    handshakes.set(user, bucket);
    if (!bucket.take(1)) throw tooManyRequests(Math.ceil(60 / socketLimits.handshakesPerMinute));
    const own = takenBy.get(user) ?? 0;
    if (own >= socketLimits.perUser) throw tooManyConnections();
    if (isFull()) throw noRoom();
    // The client is gone, so a close event would never come.
    if (!socket || socket.destroyed) return;
    taken++;
    takenBy.set(user, own + 1);
    socket.once('close', () => {
      taken--;
      const left = (takenBy.get(user) ?? 1) - 1;
      if (left > 0) takenBy.set(user, left);
      else takenBy.delete(user);
    });
  }

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // A connection that breaks during the handshake needs no response.
    const ignore = () => undefined;
    socket.on('error', ignore);
    shake()
      .then((caller) => {
        if (!caller) return;
        socket.off('error', ignore);
        library.handleUpgrade(request, socket, head, (webSocket) => {
          const { user, token } = caller;
          const opener = { user: user._id.toHexString(), username: user.username, token: token._id.toHexString() };
          const talk = { hub, ...hub.connect(webSocket, opener) };
          const { connection } = talk;
          // The farewell to the other connections has already been sent.
          if (isClosing()) connection.end('restart');
          webSocket.on('message', (data: Buffer, isBinary: boolean) => answer(talk, data, isBinary));
          webSocket.on('ping', () => count(connection));
          webSocket.on('pong', () => count(connection));
          socket.on('data', ({ length }) => connection.countBytes(length));
        });
      })
      .catch(() => socket.destroy());

    /**
     * Responds to the request unless it should become a WebSocket. In that case, returns its
     * caller.
     */
    async function shake(): Promise<Caller | undefined> {
      const source = sourceOf(request, trustProxy);
      const received = { id: randomUUID(), at: Date.now(), source, ...splitTarget(request.url ?? ''), body: undefined };
      const match = { route, variables: undefined };
      const event: Partial<CallerField> & ReturnType<typeof makeEvent> = Object.assign(makeEvent(request, received, match), {
        socket,
      });
      const handler = !isPlain(request) ? ambiguous : !isForSocket(request) ? notSupported : isFull() ? full : accept;
      const response = await run(handler, event, makeContext(received, match, time));
      if (response.statusCode === 101) return event.caller;
      respondRaw(socket, response);
      return undefined;
    }
  });

  const accept = toLambdaHandler(
    baseChain('GET', { whyUnavailable }).handler(async (event: ApiEvent & Partial<CallerField> & { socket?: Socket }) => {
      const caller = await withDeadline(event.deadline, () => findOpener(event.headers));
      takePlace(caller.user._id.toHexString(), event.socket);
      event.caller = caller;
      return { statusCode: 101, headers: {}, body: '' };
    }),
    {},
  );
}

const noRoom = () => serviceUnavailable('The service cannot accept more connections.');
const full: Handler = rejectWith(noRoom);
// Needed only for releases of Node.js that cannot ignore an upgrade.
const notSupported: Handler = rejectWith(
  () =>
    new HttpError(400, {
      title: 'Bad request',
      description: `Only ${path} can be upgraded, and only to a WebSocket.`,
      code: 'upgrade_refused',
    }),
);
