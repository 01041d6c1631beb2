import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { invocation, type SentRequest } from '../../../tools/harness/transports.ts';
import { aName, anAccount, anAdmin } from '../../support/accounts.ts';
import { findRuntimeClient, type RunningFunction, startFunction } from '../../support/lambda.ts';
import { packageFunctions } from '../../support/packaged.ts';
import { aRoomOf } from '../../support/rooms.ts';

const runtimeClient = await findRuntimeClient();
const directory = await mkdtemp(join(tmpdir(), 'chat-runtime-'));
const used = ['rooms', 'room', 'messages', 'sessions', 'tickets', 'socket', 'push', 'health', 'web', 'web-asset'];
const packaged =
  runtimeClient === undefined
    ? []
    : await packageFunctions(
        directory,
        {},
        used.map((name) => `functions/${name}.ts`),
      );

/** In place of SSM, Lambda and API Gateway: has the connection string, and keeps what functions send. */
const reached: { target: string; body: unknown }[] = [];
const aws = createServer(async (request, response) => {
  const body = await text(request);
  if (request.url === '/') {
    const isThere = JSON.parse(body).Name === '/chat-service/dev/mongodb-uri';
    response.writeHead(isThere ? 200 : 400);
    response.end(JSON.stringify(isThere ? { Parameter: { Value: process.env.MONGODB_URI } } : { __type: 'ParameterNotFound' }));
    return;
  }
  reached.push({ target: `${request.method} ${request.url}`, body: JSON.parse(body || 'null') });
  response.writeHead(request.url?.endsWith('/invocations') ? 202 : 200).end();
}).listen(0, '127.0.0.1');
await once(aws, 'listening');
const awsUrl = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;

const running = new Map<string, Promise<RunningFunction>>();
afterAll(async () => {
  for (const one of running.values()) await one.then(({ end }) => end());
  aws.close();
  await rm(directory, { recursive: true });
});

/** The one instance of a function, which is started when it is first invoked. */
const functionOf = (name: string): Promise<RunningFunction> => {
  const started = running.get(name) ?? start(name);
  running.set(name, started);
  return started;
};

const start = (name: string, settings: Record<string, string> = {}) =>
  startFunction(runtimeClient ?? '', packaged.find((one) => one.name === name)?.directory ?? '', name, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id-of-the-role',
    AWS_SECRET_ACCESS_KEY: 'key-of-the-role',
    AWS_SESSION_TOKEN: 'session-of-the-role',
    AWS_ENDPOINT_URL_SSM: awsUrl,
    AWS_ENDPOINT_URL_LAMBDA: awsUrl,
    SOCKET_ENDPOINT: `${awsUrl}/dev`,
    PUSH_FUNCTION: 'chat-service-dev-push',
    MONGODB_URI_PARAMETER: '/chat-service/dev/mongodb-uri',
    MONGODB_DATABASE: process.env.MONGODB_DATABASE ?? '',
    BCRYPT_COST: '4',
    ...settings,
  });

type Answer = {
  statusCode: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string;
  isBase64Encoded?: boolean;
};

/** Invokes the function of a path with the event that the gateway would make, which may be changed. */
async function call(
  method: string,
  path: string,
  sent: SentRequest = {},
  change: (event: GatewayEvent) => object = (event) => event,
) {
  const { name, event } = await invocation(method, path, sent);
  const { invoke } = await functionOf(name);
  const { result, error } = await invoke(change(event()));
  expect(error).toBeUndefined();
  const { statusCode: status, body, isBase64Encoded, ...rest } = result as Answer;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const isJson = rest.headers['Content-Type']?.startsWith('application/json') && !rest.headers['Content-Encoding'];
  return {
    status,
    ...rest,
    isBase64Encoded: isBase64Encoded ?? false,
    bytes,
    body: isJson ? JSON.parse(String(bytes)) : undefined,
  };
}
type GatewayEvent = ReturnType<Awaited<ReturnType<typeof invocation>>['event']>;

describe.skipIf(runtimeClient === undefined)("a packaged function, run by AWS's own runtime client", () => {
  it('a packaged function makes rooms, and lists them', async () => {
    const admin = await anAdmin();
    const name = aName();
    const made = await call('POST', '/api/rooms', { token: admin.token, body: { name } });
    expect(made.status).toBe(201);
    const listed = await call('GET', '/api/rooms', { token: admin.token });
    expect(listed).toMatchObject({ status: 200, body: expect.arrayContaining([expect.objectContaining({ name })]) });
  });

  it('a packaged function takes a body in base64, and stores the message once', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const posted = await call('POST', '/api/messages', { token: ann.token, body: { room, text: 'Grüße 👋' } }, (event) => ({
      ...event,
      body: Buffer.from(event.body ?? '').toString('base64'),
      isBase64Encoded: true,
    }));
    expect(posted).toMatchObject({ status: 201, body: { text: 'Grüße 👋', seq: 1 } });
    const read = await call('GET', `/api/messages?room=${room}`, { token: ann.token });
    expect(read.body).toMatchObject([{ text: 'Grüße 👋' }]);
  });

  it('a packaged function goes on after it was frozen in the middle of its connections', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    for (const seq of [1, 2, 3]) {
      const posted = await call('POST', '/api/messages', { token: ann.token, body: { room, text: `after ${seq}` } });
      expect(posted).toMatchObject({ status: 201, body: { seq } });
    }
  });

  it('a packaged function answers an event without query, path parameters and body, as the gateway leaves out what is empty', async () => {
    const ann = await anAccount();
    const bare = ({ queryStringParameters: _query, pathParameters: _path, body: _body, ...event }: GatewayEvent) => event;
    expect(await call('GET', '/api/messages', { token: ann.token }, bare)).toMatchObject({
      status: 400,
      body: { title: 'Missing parameter', description: expect.stringContaining("'room'"), code: 'missing_parameter' },
    });
    expect(await call('POST', '/api/messages', { token: ann.token, body: {} }, bare)).toMatchObject({
      status: 400,
      body: { title: 'Missing parameter' },
    });
  });

  it('a packaged function gives and takes cookies apart from the other headers', async () => {
    const { username, password } = await anAccount();
    const origin = { host: 'chat.example.org', 'x-forwarded-proto': 'https', 'sec-fetch-site': 'same-origin' };
    const made = await call('POST', '/api/sessions', {
      headers: origin,
      body: { username, password, cookie: true },
    });
    expect({ status: made.status, cookies: made.cookies }).toEqual({
      status: 201,
      cookies: [expect.stringMatching(/^__Host-[\w-]+=[\w-]+; .*HttpOnly/)],
    });
    const cookie = made.cookies?.[0]?.split(';')[0] ?? '';
    const listed = await call('GET', '/api/sessions', { headers: { ...origin, cookie: `theme=dark; ${cookie}` } });
    expect(listed).toMatchObject({ status: 200, body: [expect.objectContaining({ is_current: true })] });
  });

  it('a packaged function knows its path where the stage stands in it', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const inStage = (event: GatewayEvent) => ({
      ...event,
      rawPath: `/dev${event.rawPath}`,
      requestContext: {
        ...event.requestContext,
        stage: 'dev',
        http: { ...event.requestContext.http, path: `/dev${event.rawPath}` },
      },
    });
    expect(await call('GET', `/api/rooms/${room}`, { token: ann.token }, inStage)).toMatchObject({ status: 200 });
  });

  it('a packaged function serves the pages, compressed in base64', async () => {
    const page = await call('GET', '/', { headers: { accept: 'text/html' } });
    expect({ status: page.status, page: String(page.bytes) }).toEqual({ status: 200, page: expect.stringContaining('<script') });
    const [, asset = ''] = /src="(\/assets\/[^"]+)"/.exec(String(page.bytes)) ?? [];
    const script = await call('GET', asset, { headers: { 'accept-encoding': 'br' } });
    expect(script).toMatchObject({ status: 200, isBase64Encoded: true, headers: { 'Content-Encoding': 'br' } });
    expect(brotliDecompressSync(script.bytes).length).toBeGreaterThan(script.bytes.length);
  });

  it('a packaged function tells those who are connected what was sent', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const { body: ticket } = await call('POST', '/api/tickets', { token: ann.token, body: {} });
    const socket = await functionOf('socket');
    const connection = `${aName()}=`;
    const talk = async (eventType: string, more: object = {}) => {
      const routeKey = { CONNECT: '$connect', DISCONNECT: '$disconnect' }[eventType] ?? '$default';
      const requestContext = {
        eventType,
        routeKey,
        connectionId: connection,
        stage: 'dev',
        identity: { sourceIp: '198.51.100.1' },
      };
      const { result } = await socket.invoke({ requestContext, isBase64Encoded: false, ...more });
      return result as Answer;
    };
    const protocols = `chat.v1, ticket.${ticket.ticket}`;
    expect(await talk('CONNECT', { headers: { 'Sec-WebSocket-Protocol': protocols } })).toMatchObject({ statusCode: 200 });
    const greeted = await talk('MESSAGE', { body: '{"type":"hello"}' });
    expect(greeted.statusCode).toBe(200);
    reached.splice(0);

    await call('POST', '/api/messages', { token: bob.token, body: { room, text: 'Hello' } });
    const target = 'POST /2015-03-31/functions/chat-service-dev-push/invocations';
    const [told, ...others] = reached.splice(0);
    expect({ told, others }).toEqual({ told: { target, body: { notices: [{ type: 'moved', room, seq: 1 }] } }, others: [] });
    const { invoke: push } = await functionOf('push');
    expect(await push(told?.body as object)).toEqual({ result: { sent: 1, gone: 0, dropped: 0 } });
    // The stage stands in the path of its connections.
    expect(reached.splice(0)).toEqual([
      {
        target: `POST /dev/@connections/${encodeURIComponent(connection)}`,
        body: expect.objectContaining({ type: 'room', seq: 1 }),
      },
    ]);
    expect(await talk('DISCONNECT')).toMatchObject({ statusCode: 200 });
  });

  it('a packaged function without its connection string fails to start, and says why in its log', async () => {
    const broken = await start('health', { MONGODB_URI_PARAMETER: '/chat-service/dev/nothing' });
    await expect(broken.invoke({})).rejects.toThrow('/chat-service/dev/nothing could not be read: ParameterNotFound');
    await broken.end();
  });
});
