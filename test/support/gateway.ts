import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Carrier, setCarrier } from '../../lib/notices/carrier.ts';
import { createRandom, testSeed } from '../../packages/embedded-mongodb/test/support/random.ts';
import { inProcess } from './transports.ts';

/*
 * A local stand-in for API Gateway and Lambda, for the parts that an emulator lacks: WebSockets and
 * invocations. Functions of this process reach it with the same requests as on AWS.
 */

/** The faults that may happen on AWS. */
type Trouble = {
  /**
   * The shares of invocations that are lost and doubled, and the longest delay in milliseconds,
   * which reorders them.
   */
  lost: number;
  doubled: number;
  late: number;
  /** The status of refused invocations; 0 if they never get a response. */
  refused: number | undefined;
  /** The number of accepted frames. Further frames exceed the rate limit. */
  rate: number;
  /**
   * True if functions' kept-alive connections have ended when they are used again, as after a
   * suspension.
   */
  stale: boolean;
};
const noTrouble: Trouble = { lost: 0, doubled: 0, late: 0, refused: undefined, rate: Number.POSITIVE_INFINITY, stale: false };

/** A gateway for a test. */
export type TestGateway = {
  /** The address of the API and the WebSockets. */
  url: string;
  trouble: Trouble;
  /** The number of invocations of `push`, and of posted frames by status. */
  invocations: number;
  posted: Record<number, number>;
  /** The work of functions after their response. On AWS it happens much later or never. */
  afterAnswer: string[];
  /** Waits until no invocation is in progress. */
  idle: () => Promise<void>;
  /** Ends a connection without notifying any function, like a network failure. */
  cut: (connection: string) => void;
  close: () => Promise<void>;
};

// In bytes: the largest message of either side, the largest frame that is billed as one, and the
// largest event of an invocation.
const largestMessage = 128 * 1024;
const largestFrame = 32 * 1024;
const largestEvent = 256 * 1024;

/** The invocation of the present work. */
const running = new AsyncLocalStorage<{ name: string; hasAnswered: boolean }>();

/** Starts a gateway for the functions of this process. Each test file may have one. */
export async function startGateway(): Promise<TestGateway> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id-of-the-role',
    AWS_SECRET_ACCESS_KEY: 'key-of-the-role',
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${port}`,
    SOCKET_ENDPOINT: `http://127.0.0.1:${port}/dev`,
    PUSH_FUNCTION: 'chat-service-dev-push',
    AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${port}`,
    WEBHOOKS_QUEUE: 'webhooks',
    DEVICES_QUEUE: 'devices',
  });
  const [{ carrier }, socket, push, deliver] = await Promise.all([
    // It reads its environment when it is loaded, so each gateway needs a separate instance.
    import(new URL(`../../hosts/aws/runtime/carrier.ts?${port}`, import.meta.url).href) as Promise<
      typeof import('../../hosts/aws/runtime/carrier.ts')
    >,
    import('../../functions/socket.ts'),
    import('../../functions/push.ts'),
    import('../../functions/deliver.ts'),
  ]);

  /** Blocks work after a function's response, because it is suspended then. */
  const whileRunning =
    <A extends unknown[], T>(name: string, work: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      const invocation = running.getStore();
      if (!invocation?.hasAnswered) return work(...given);
      gateway.afterAnswer.push(`${invocation.name}: ${name}`);
      return new Promise(() => undefined);
    };
  const { invoke, queue, post, close } = carrier as Carrier;
  setCarrier({
    invoke: whileRunning('invoke', invoke),
    queue: whileRunning('queue', queue),
    post: whileRunning('post', post),
    close: whileRunning('close', close),
  });

  /** Invokes a function like Lambda. */
  const invokeFunction = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const invocation = { name, hasAnswered: false };
    return running.run(invocation, async () => {
      try {
        return await work();
      } finally {
        invocation.hasAnswered = true;
      }
    });
  };
  const context = () => ({ awsRequestId: randomBytes(8).toString('hex'), functionName: 'chat-service-dev-socket' }) as Context;
  const talk = (eventType: string, connectionId: string, more: object = {}) => {
    const routeKey = { CONNECT: '$connect', DISCONNECT: '$disconnect' }[eventType] ?? '$default';
    const requestContext = { eventType, connectionId, routeKey, identity: { sourceIp: '127.0.0.1' } };
    const event = { requestContext, isBase64Encoded: false, ...more } as unknown as Parameters<typeof socket.handler>[0];
    return invokeFunction(`socket ${routeKey}`, () => socket.handler(event, context()));
  };

  const random = createRandom(testSeed);
  const open = new Map<string, WebSocket>();
  const underway = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>) => {
    const tracked = work.catch(() => undefined).finally(() => underway.delete(tracked));
    underway.add(tracked);
  };
  const sockets = new WebSocketServer({ noServer: true, maxPayload: largestMessage, handleProtocols: () => 'chat.v1' });

  server.on('upgrade', async (request: IncomingMessage, stream: Socket, head: Buffer) => {
    stream.on('error', () => undefined);
    // Connection ids end with an equals sign, which must be encoded in a path.
    const id = `${randomBytes(8).toString('base64url')}=`;
    const answer = await talk('CONNECT', id, { headers: headersOf(request) });
    if (answer.statusCode !== 200 || answer.headers?.['Sec-WebSocket-Protocol'] !== 'chat.v1') {
      stream.end(`HTTP/1.1 ${answer.statusCode} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (opened) => {
      open.set(id, opened);
      opened.on('error', () => undefined);
      opened.on('close', () => {
        // AWS documents this as best effort.
        if (open.delete(id)) track(talk('DISCONNECT', id));
      });
      opened.on('message', (data: Buffer, isBinary: boolean) => {
        const body = isBinary ? data.toString('base64') : data.toString();
        const answered = talk('MESSAGE', id, { body, isBase64Encoded: isBinary }).then((answer) => {
          if (answer.body !== undefined) opened.send(answer.body);
        });
        track(answered);
      });
    });
  });

  const runPush = async (event: string) => {
    await delay(random.below(gateway.trouble.late + 1));
    await invokeFunction('push', async () => void (await push.handler(JSON.parse(event), context())));
  };

  /** The entries of a queue by their deduplication ids, and the last one of each group. */
  const queued = new Set<string>();
  const groups = new Map<string, Promise<void>>();

  /** Runs an entry of a queue after the earlier ones of its group, without delays. */
  const takeEntry = (entry: QueueEntry) => {
    if (queued.has(entry.MessageDeduplicationId)) return;
    queued.add(entry.MessageDeduplicationId);
    const body = entry.MessageBody;
    const event = { Records: [{ messageId: randomBytes(8).toString('hex'), body, eventSource: 'aws:sqs' }] };
    const run = async () => void (await deliver.handler(event, context()));
    const done = (groups.get(entry.MessageGroupId) ?? Promise.resolve()).then(() => invokeFunction('deliver', run));
    groups.set(entry.MessageGroupId, done);
    track(done);
  };

  const takeInvocation = (event: Buffer): number => {
    gateway.invocations++;
    const { lost, doubled, refused } = gateway.trouble;
    if (refused !== undefined) return refused;
    if (event.length > largestEvent) return 413;
    const times = random.fraction() < lost ? 0 : random.fraction() < doubled ? 2 : 1;
    for (let time = 0; time < times; time++) track(runPush(event.toString()));
    return 202;
  };

  const reach = (method: string, id: string, frame: Buffer): number => {
    const opened = open.get(id);
    // It fails before `$connect` has returned, and after the connection has ended.
    if (!opened) return 410;
    if (method === 'DELETE') {
      opened.close();
      return 204;
    }
    if (frame.length > largestFrame) return 413;
    if (gateway.trouble.rate-- <= 0) return 429;
    opened.send(frame.toString());
    return 200;
  };

  const kept = new WeakSet<Socket>();
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const { method = '', url = '' } = request;
    if (url.startsWith('/api/')) return answerCall(request, response, body);
    const isKept = kept.has(request.socket);
    kept.add(request.socket);
    if (isKept && gateway.trouble.stale) return void request.socket.destroy();
    const [, service] =
      /^AWS4-HMAC-SHA256 Credential=id-of-the-role\/\d{8}\/eu-central-1\/([\w-]+)\//.exec(request.headers.authorization ?? '') ??
      [];
    const connection = /^\/dev\/@connections\/([\w%-]+)$/.exec(url)?.[1];
    if (service === 'sqs' && request.headers['x-amz-target'] === 'AmazonSQS.SendMessageBatch') {
      const { QueueUrl, Entries }: { QueueUrl: string; Entries: QueueEntry[] } = JSON.parse(body.toString());
      for (const entry of Entries)
        takeEntry({
          ...entry,
          MessageGroupId: `${QueueUrl} ${entry.MessageGroupId}`,
          MessageDeduplicationId: `${QueueUrl} ${entry.MessageDeduplicationId}`,
        });
      response.writeHead(200).end('{"Successful":[],"Failed":[]}');
    } else if (service === 'lambda' && url === '/2015-03-31/functions/chat-service-dev-push/invocations') {
      const status = request.headers['x-amz-invocation-type'] === 'Event' ? takeInvocation(body) : 400;
      if (status > 0) response.writeHead(status).end();
    } else if (service === 'execute-api' && connection !== undefined) {
      const status = reach(method, decodeURIComponent(connection), body);
      gateway.posted[status] = (gateway.posted[status] ?? 0) + 1;
      response.writeHead(status).end();
    } else response.writeHead(403).end();
  });

  async function answerCall(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const { method = '', url = '' } = request;
    const sent = { headers: headersOf(request), ...(body.length > 0 && { body }) };
    const reply = await invokeFunction(`${method} ${url}`, () => inProcess(method, url, sent));
    const { 'content-encoding': _, ...headers } = reply.headers;
    response.writeHead(reply.status, headers).end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  }

  const gateway: TestGateway = {
    url: `http://127.0.0.1:${port}`,
    trouble: { ...noTrouble },
    invocations: 0,
    posted: {},
    afterAnswer: [],
    idle: async () => {
      while (underway.size > 0) await Promise.all(underway);
    },
    cut: (id) => {
      const opened = open.get(id);
      open.delete(id);
      opened?.terminate();
    },
    close: async () => {
      for (const opened of open.values()) opened.terminate();
      await gateway.idle();
      setCarrier(undefined);
      server.closeAllConnections();
      server.close();
    },
  };
  return gateway;
}

type QueueEntry = Record<'MessageBody' | 'MessageGroupId' | 'MessageDeduplicationId', string>;

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
