import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limits } from '../../lib/api/limits.ts';
import { isToken } from '../../lib/api/schema.ts';
import { withDeadline } from '../../lib/base/deadline.ts';
import { HttpError, internalError, payloadTooLarge, serviceUnavailable } from '../../lib/base/errors.ts';
import { describeError, log } from '../../lib/base/log.ts';
import { type Turn, withTurn } from '../../lib/base/outside.ts';
import { createQueues } from '../../lib/base/queues.ts';
import { rejectWith } from '../../lib/http/base-chain.ts';
import type { Handler } from '../../lib/http/operation.ts';
import type { ApiResponse } from '../../lib/http/request.ts';
import { tokenOf } from '../../lib/http/session-cookie.ts';
import { findCaller, recallCaller } from '../../lib/identity/authenticate.ts';
import { config, fromConfig } from '../../lib/settings/config.ts';
import { beginBody, hasBody, mostKeptOf } from './http/body.ts';
import { closeWithoutResets, limitConnections } from './http/connections.ts';
import { makeContext, makeEvent, type ReceivedRequest, splitTarget } from './http/event.ts';
import { createFairShare, type FairRequest } from './http/fair-share.ts';
import { createMemoryBudget } from './http/memory-budget.ts';
import { ambiguous, isPlain } from './http/plain.ts';
import { bytesOfStream, isWithinLimit, respond, respondRaw, respondStream } from './http/respond.ts';
import { type FindRoute, type FoundRoute, loadRoutes } from './http/routes.ts';
import { createSemaphore } from './http/semaphore.ts';
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
export async function startServer(address: Address, find?: FindRoute): Promise<Server> {
  const { host, port, trustProxy, maxConnections } = address;
  const route = find ?? (await loadRoutes());
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
    const found = isPlain(request) ? route(request.method ?? '', path) : { ...route('GET', path), handler: ambiguous };
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
      closing = true;
      await close(push.end());
      await push.stop();
    },
  };
}

/**
 * Calls a handler within the fair share of its caller, and delivers the response before the share
 * ends.
 */
async function run(
  handler: Handler,
  event: Parameters<Handler>[0],
  context: Parameters<Handler>[1],
  deliver: (response: ApiResponse) => void = () => {},
): Promise<ApiResponse> {
  const share = config.limits.areOn ? shares.begin(callerOf(event) ?? (await findCallerOf(event))) : unlimited;
  const request = share instanceof Promise ? await share : share;
  const taken = request && slots().acquire(longestWait);
  if (request && taken && (taken === true || (await taken))) {
    const slot = holdSlot(request);
    try {
      const work = () => withTurn({ caller: payerOf(event), ...slot }, () => handler(event, context));
      let response = await withDeadline(performance.now() + limits.functionTime, work);
      if (!isWithinLimit(response)) response = await responseTooLarge(event, context);
      deliver(response);
      return response;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    } finally {
      slot.end();
    }
  } else request?.end();
  const response = await busy(event, context);
  deliver(response);
  return response;
}

/**
 * Manages the slot of a request. A request gives up its slot while it waits for another server. It
 * may wait in several places at once, and longer than its caller waits for the response.
 */
function holdSlot(request: FairRequest): Omit<Turn, 'caller'> & { end: () => void } {
  const queue = slots();
  let [waits, isHeld, isOver] = [0, true, false];
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    queue.release();
    request.pause();
  };
  return {
    pause: () => {
      if (waits++ === 0) release();
    },
    resume: async () => {
      if (--waits > 0 || isOver) return;
      // The request continues even without a slot. This is rare, and the caller must get the other
      // server's response in time.
      if (!(await queue.acquire(longestResumeMs, true))) return;
      // The request may have begun to wait again, or its time may be over.
      if (waits > 0 || isOver || isHeld) return queue.release();
      isHeld = true;
      request.resume();
    },
    end: () => {
      release();
      isOver = true;
      request.end();
    },
  };
}

/**
 * Runs a health check without a slot, so that monitoring does not mistake a busy service for a
 * broken one.
 */
async function runHealthCheck(...[handler, event, context, deliver]: Required<Parameters<typeof run>>): Promise<ApiResponse> {
  if (healthChecks >= mostHealthChecks) return run(handler, event, context, deliver);
  healthChecks++;
  try {
    const response = await handler(event, context);
    deliver(response);
    return response;
  } finally {
    healthChecks--;
  }
}

let healthChecks = 0;
const mostHealthChecks = 4;

type Event = Parameters<Handler>[0];
const sourceIpOf = (event: Event): string => event.requestContext.http.sourceIp;

/**
 * The caller of a request, as far as this process knows: a known account, or the source address of
 * a request without a token. Undefined for an unknown token.
 */
function callerOf(event: Event): string | undefined {
  const token = tokenOf(event);
  return recallCaller(token)?._id.toHexString() ?? (isToken(token) ? undefined : sourceIpOf(event));
}

/**
 * The caller of a request with a token that this process has not seen. It is looked up, so that an
 * account need not wait for others behind its address. An invalid token counts for the address, and
 * so does one that cannot be looked up soon: an attacker may send many.
 */
async function findCallerOf(event: Event): Promise<string> {
  const source = sourceIpOf(event);
  const find = () => withDeadline(performance.now() + longestLookUpMs, () => findCaller(tokenOf(event)));
  const caller = await lookUps(source, find).catch(() => undefined);
  return caller?.user._id.toHexString() ?? source;
}

const longestLookUpMs = 1_000;
const lookUps = createQueues({ most: 4, mostWaiting: 16, patienceMs: longestLookUpMs, refuse: serviceUnavailable });

/** The account that is charged while a request waits for another server: for a bot, its owner. */
const payerOf = (event: Event): string =>
  recallCaller(tokenOf(event))?.owner?.toHexString() ?? callerOf(event) ?? sourceIpOf(event);

const shares = createFairShare();
const unlimited: FairRequest = { pause: () => {}, resume: () => {}, end: () => {} };

// Requests wait here in order, and longer than the driver waits for a connection. After
// `longestWait` milliseconds, the response is 503.
const slots = fromConfig(({ mongodbPoolSize }) => createSemaphore(mongodbPoolSize));
const longestWait = 5_000;
const longestResumeMs = 500;

const memory = createMemoryBudget(limits.memory);

/** Logs a request that cannot be parsed, and responds to it. */
async function answerRaw(socket: Socket, handler: Handler): Promise<void> {
  const id = randomUUID();
  const http = { method: '', path: '', protocol: 'HTTP/1.1', sourceIp: socket.remoteAddress ?? '', userAgent: '' };
  const event = { rawPath: '', headers: {}, requestContext: { http } } as unknown as Parameters<Handler>[0];
  respondRaw(socket, await handler(event, { awsRequestId: id, functionName: 'gateway' } as Parameters<Handler>[1]));
}

const tooLarge = rejectWith(() => payloadTooLarge(limits.requestBody));
const busy = rejectWith(() => serviceUnavailable('The service is busy.'));
const responseTooLarge = rejectWith(internalError);
const headersTooLarge = rejectWith(
  () =>
    new HttpError(431, {
      title: 'Request header fields too large',
      description: `The request line and the headers together must not exceed ${limits.headers} bytes.`,
      code: 'headers_too_large',
    }),
);
const notHttp = rejectWith(
  () => new HttpError(400, { title: 'Bad request', description: 'The request is not HTTP/1.1.', code: 'bad_request' }),
);
