import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limits } from '../../lib/api/limits.ts';
import { describeError, log } from '../../lib/base/log.ts';
import type { ApiResponse } from '../../lib/http/request.ts';
import { config } from '../../lib/settings/config.ts';
import { beginBody, hasBody, mostKeptOf } from './http/body.ts';
import { closeWithoutResets, limitConnections } from './http/connections.ts';
import { makeContext, makeEvent, type ReceivedRequest, splitTarget } from './http/event.ts';
import { type FindRoute, type FoundRoute, loadRoutes } from './http/lazy-routes.ts';
import { createMemoryBudget } from './http/memory-budget.ts';
import { ambiguous, isPlain } from './http/plain.ts';
import { answerRaw, busy, headersTooLarge, notHttp, tooLarge } from './http/rejections.ts';
import { bytesOfStream, respond, respondStream } from './http/respond.ts';
import { callerOf, findCallerOf, run, runHealthCheck } from './http/run.ts';
import { sourceOf } from './http/source.ts';
import { beginUpload, bodyOf, endUpload, longestUpload, takesBytes } from './http/uploads.ts';
import type { PresenceTimes } from './push/presence.ts';
import type { Relay } from './push/relay.ts';
import { startPush } from './push/start.ts';
import { isForSocket } from './push/upgrade.ts';
import type { Settings } from './settings.ts';

/** A listening server. */
export type Server = {
  port: number;
  /** Stops accepting requests, and resolves when the running ones are answered. */
  close: () => Promise<void>;
};

type Address = Pick<Settings, 'host' | 'port' | 'trustProxy' | 'maxConnections'> & {
  /** Connects the processes of the service; not set for a single process. */
  relay?: Relay;
  /** The id of this server among those that share the database; not set if it is the only one. */
  server?: string | undefined;
  /** Interval of the search for lost notices, in milliseconds. */
  sweep?: number;
  /** Enables presence, with its durations. */
  presence?: boolean;
  presenceTimes?: Partial<PresenceTimes>;
};

/** Serves the functions of `serverless.yml` as Lambda behind API Gateway would. */
export async function startServer(address: Address, route: FindRoute = loadRoutes()): Promise<Server> {
  const { host, port, trustProxy, maxConnections } = address;
  let closing = false;

  const options = {
    maxHeaderSize: limits.headers,
    noDelay: true,
    connectionsCheckingInterval: 5_000,
    shouldUpgradeCallback: isForSocket,
  };
  const server = createServer(options, (request, response) => {
    response.sendDate = true;
    answer(request, response).catch((error) => {
      // If the client has disconnected, no response is needed.
      if (!response.destroyed) log('error', 'connection broken', { error: describeError(error) });
      response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, query } = splitTarget(request.url ?? '/');
    const received: ReceivedRequest = {
      id: randomUUID(),
      at: Date.now(),
      source: sourceOf(request, trustProxy),
      path,
      query,
      body: undefined,
    };
    const matched = isPlain(request) ? route(request.method ?? '', path) : { ...(await route('GET', path)), handler: ambiguous };
    const found = matched instanceof Promise ? await matched : matched;
    // The client may have disconnected while its function was loaded.
    if (request.destroyed) return;
    if (takesBytes(found, request.method)) return upload(found, request, received, response);
    if (!hasBody(request)) return invoke(found, request, received, response);

    const body = beginBody(request, memory, mostKeptOf(found, request.method));
    try {
      const read = await body.read;
      received.at = Date.now();
      if (Buffer.isBuffer(read)) {
        received.body = read;
        await invoke(found, request, received, response);
        return;
      }
      // The rest of a rejected body stays unread, so the connection must end.
      response.shouldKeepAlive = false;
      await invoke({ ...found, handler: read === 'too large' ? tooLarge : busy }, request, received, response);
    } finally {
      body.release();
    }
  }

  /**
   * Calls a function that receives the body as a stream. It does not occupy a slot while it runs.
   */
  async function upload(
    found: FoundRoute,
    request: IncomingMessage,
    received: ReceivedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const sent = makeEvent(request, received, found);
    const begun = beginUpload(callerOf(sent) ?? (await findCallerOf(sent)));
    const event = makeEvent(request, { ...received, bytes: bodyOf(request, undefined, begun) }, found);
    const handler = begun ? found.handler : busy;
    const answer = await handler(event, makeContext(received, found, limits.requestTime)).finally(
      () => begun && endUpload(begun),
    );
    // If the function has not read the whole body, the connection must end.
    if (!request.complete) response.shouldKeepAlive = false;
    send(response, answer);
  }

  /**
   * Calls the function and sends its response. Both are charged to the caller, because a long
   * response takes longer to send than to create.
   */
  async function invoke(
    found: FoundRoute,
    request: IncomingMessage,
    received: ReceivedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const context = makeContext(received, found, limits.requestTime);
    const event = makeEvent(request, received, found);
    const deliver = (answer: ApiResponse) => send(response, answer);
    await (found.route.name === 'health' ? runHealthCheck : run)(found.handler, event, context, deliver);
  }

  // Unread bytes stay in memory, but most responses are sent immediately.
  function send(response: ServerResponse, answer: ApiResponse): void {
    if (closing) response.shouldKeepAlive = false;
    if (answer.stream) respondStream(response, answer, answer.stream);
    const bytes = answer.stream ? bytesOfStream : respond(response, answer);
    if (!answer.stream && response.socket?.writableLength === 0) return;
    const share = memory.begin(() => response.destroy());
    response.once('close', share.release);
    share.add(bytes);
  }

  // Requests that are not HTTP, or whose headers are too long. Other errors are broken connections.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const handler = error.code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge : error.code?.startsWith('HPE_') ? notHttp : undefined;
    if (!handler || !socket.writable) socket.destroy();
    else void answerRaw(socket, handler);
  });
  // Longer than reverse proxies keep their connections, so that they never use one that is about to
  // end.
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = 15_000;
  // Node.js has one limit for all requests. Bodies that are not uploads have a lower one.
  server.requestTimeout = Math.ceil(longestUpload(config.files.size));
  // Ends a connection that makes no progress although a response is pending.
  server.timeout = limits.functionTime;
  limitConnections(server, maxConnections, trustProxy > 0);
  const close = closeWithoutResets(server);
  // The other half of the connections is reserved for requests.
  const push = await startPush(server, { ...address, most: Math.ceil(maxConnections / 2), isClosing: () => closing, run });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      await close(() => {
        closing = true;
        return push.end();
      });
      await push.stop();
    },
  };
}

const memory = createMemoryBudget(limits.memory);
