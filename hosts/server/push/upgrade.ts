import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { whyUnavailable } from '../../../lib/database/failures.ts';
import { withDeadline } from '../../../lib/deadline.ts';
import { HttpError, serviceUnavailable } from '../../../lib/errors.ts';
import { baseChain, rejectWith, toLambdaHandler } from '../../../lib/http/base-chain.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import type { ApiEvent, Authenticated } from '../../../lib/http/request.ts';
import type { Caller } from '../../../lib/identity/caller.ts';
import { protocol, socketLimits } from '../../../lib/push/frames.ts';
import { findOpener, tooManyConnections } from '../../../lib/push/open.ts';
import { makeContext, makeEvent, splitTarget } from '../event.ts';
import { respondRaw } from '../respond.ts';
import { sourceOf } from '../source.ts';
import type { Hub } from './hub.ts';
import { answer } from './talk.ts';

/** Where WebSockets are opened. */
const path = '/socket';
const route = { name: 'socket', method: 'GET', path, file: '', exported: '' };

/** How many handshakes may be under way. */
const mostHandshakes = 200;

/** Whether a request asks for a WebSocket of ours; to every other the server answers as if it had asked for no upgrade. */
export const isForSocket = ({ url = '', headers }: IncomingMessage): boolean =>
  splitTarget(url).path === path && /^websocket$/i.test(headers.upgrade ?? '');

type Door = {
  trustProxy: number;
  /** How many connections there may be. */
  most: number;
  isClosing: () => boolean;
  /** For how many milliseconds a handshake may take. */
  time: number;
};

/** Lets a server open WebSockets, and hands those that are open to the hub. */
export function openSockets(server: Server, hub: Hub, { trustProxy, most, isClosing, time }: Door): void {
  const library = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: socketLimits.frame,
    handleProtocols: () => protocol,
  });
  let handshakes = 0;
  let open = 0;

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // A connection that breaks meanwhile needs no answer.
    const ignore = () => undefined;
    socket.on('error', ignore);
    handshakes++;
    const isFull = () => isClosing() || handshakes > mostHandshakes || open + handshakes > most;
    shake()
      .then((caller) => {
        if (!caller) return;
        socket.off('error', ignore);
        library.handleUpgrade(request, socket, head, (opened) => {
          open++;
          opened.once('close', () => open--);
          const { user, token } = caller;
          const opener = { user: user._id.toHexString(), username: user.username, token: token._id.toHexString() };
          const talk = { hub, ...hub.connect(opened, opener) };
          // The others were told when the end began.
          if (isClosing()) talk.connection.end('restart');
          opened.on('message', (data: Buffer, isBinary: boolean) => answer(talk, data, isBinary));
        });
      })
      .catch(() => socket.destroy())
      .finally(() => handshakes--);

    /** Answers the request, unless it is to become a WebSocket: then it returns whose. */
    async function shake(): Promise<Caller | undefined> {
      const source = sourceOf(request, trustProxy);
      const received = { id: randomUUID(), at: Date.now(), source, ...splitTarget(request.url ?? ''), body: undefined };
      const match = { route, variables: undefined };
      const event: Partial<Authenticated> & ReturnType<typeof makeEvent> = makeEvent(request, received, match);
      const handler = !isForSocket(request) ? notSupported : isFull() ? full : accept;
      const response = await handler(event, makeContext(received, match, time));
      if (response.statusCode === 101) return event.caller;
      respondRaw(socket, response);
      return undefined;
    }
  });

  const accept = toLambdaHandler(
    baseChain('GET', { whyUnavailable }).handler(async (event: ApiEvent & Partial<Authenticated>) => {
      event.caller = await withDeadline(event.deadline, () => findOpener(event.headers));
      if (hub.countOf(event.caller.user._id.toHexString()) >= socketLimits.perUser) throw tooManyConnections();
      return { statusCode: 101, headers: {}, body: '' };
    }),
    {},
  );
}

const full: Handler = rejectWith(() => serviceUnavailable('The service has no room for another connection.'));
// Only on releases of Node.js that can't ignore what a request wants to be upgraded to.
const notSupported: Handler = rejectWith(
  () => new HttpError(400, { title: 'Bad request', description: `Only ${path} can be upgraded, and only to a WebSocket.` }),
);
