import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../../../lib/operating/prepare.ts';
import { invocation, type SentRequest } from '../../../tools/harness/transports.ts';
import { aName, anAccount, anAdmin } from '../../support/accounts.ts';
import { aBot } from '../../support/bots.ts';
import { type Cloud, startCloud } from '../../support/cloud.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { findRuntimeClient } from '../../support/lambda.ts';
import { packageFunctions } from '../../support/packaged.ts';
import { aDevice, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { addMember, aRoom, aRoomOf, succeed } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';
import { aReceiver, useWebhookReceivers } from '../../support/webhook-receiver.ts';
import { startDatabase } from '../../support/worker.ts';

usePushService();
useWebhookReceivers();
// Another service would deliver what waits in the queues here.
useOwnDatabase();
// The packaged functions use it from processes of their own, and write nothing before it has its
// indexes.
await startDatabase();
await ensureIndexes();

const runtimeClient = await findRuntimeClient();
const directory = await mkdtemp(join(tmpdir(), 'chat-runtime-'));
const used = ['rooms', 'room', 'messages', 'sessions', 'tickets', 'socket', 'push', 'deliver', 'health', 'web', 'web-asset'];
const files = used.map((name) => `functions/${name}.ts`);
const settings = { SECRET_KEY: 'ssm:/chat-service/dev/secret-key' };
const packaged = runtimeClient === undefined ? [] : await packageFunctions(directory, settings, files);
const start = (parameters: Record<string, string>) =>
  startCloud({
    packaged,
    directory,
    runtimeClient: runtimeClient ?? '',
    parameters,
    environment: {
      MONGODB_DATABASE: process.env.MONGODB_DATABASE ?? '',
      BCRYPT_COST: '4',
      PUBLIC_URL: '',
      WEBHOOK_HOSTS: process.env.WEBHOOK_HOSTS ?? '',
      PUSH_HOSTS: process.env.PUSH_HOSTS ?? '',
    },
  });
const cloud =
  runtimeClient === undefined
    ? undefined
    : await start({
        '/chat-service/dev/mongodb-uri': process.env.MONGODB_URI ?? '',
        '/chat-service/dev/secret-key': process.env.SECRET_KEY ?? '',
      });
afterAll(async () => {
  await cloud?.end();
  await rm(directory, { recursive: true });
});
const aws = cloud as Cloud;

type Answer = {
  statusCode: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string;
  isBase64Encoded?: boolean;
};

/**
 * Invokes the function of a path with the event that the gateway would make, which may be changed.
 */
async function call(
  method: string,
  path: string,
  sent: SentRequest = {},
  change: (event: GatewayEvent) => object = (event) => event,
) {
  const { name, event } = await invocation(method, path, sent);
  const { result, error } = await aws.invoke(name, change(event()));
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

  it('a packaged function answers an event without query, path parameters and body, because the gateway omits empty ones', async () => {
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

  it('a packaged function recognises its path behind the name of the stage', async () => {
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

  it('a packaged function pushes a new message to connected clients', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const { connection, talk } = await connected(ann);
    await call('POST', '/api/messages', { token: bob.token, body: { room, text: 'Hello' } });
    await aws.idle();
    expect(aws.invoked.splice(0)).toEqual([
      { name: 'chat-service-dev-push', event: { notices: [{ type: 'moved', room, seq: 1 }] } },
    ]);
    // The stage stands in the path of its connections.
    expect(aws.frames.splice(0)).toEqual([{ connection, frame: expect.objectContaining({ type: 'room', seq: 1 }) }]);
    expect(await talk('DISCONNECT')).toMatchObject({ statusCode: 200 });
  });

  it('packaged functions send a message to the receiver of a webhook and to a device, by their queues', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoom({ owner: ann, members: [bob] });
    const [receiver, device] = [aReceiver(), aDevice()];
    const webhook = { name: 'Build', url: receiver.url };
    await succeed(inProcess('POST', `/api/rooms/${room.id}/webhooks`, { token: ann.token, body: webhook }));
    await subscribe(ann, device);
    const text = `@${ann.username} hello`;
    await call('POST', '/api/messages', { token: bob.token, body: { room: room.id, text } });
    await aws.idle();
    expect(receiver.taken.map(({ event }) => event)).toMatchObject([{ type: 'message.created', data: { text } }]);
    expect(device.pushes.map(({ payload }) => payload)).toMatchObject([{ type: 'messages', text }]);
    expect(aws.dead()).toEqual([]);
  });

  it('packaged functions show the reply of a bot on the pages that are connected', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner });
    const bot = await aBot(owner);
    await addMember(room, bot);
    const receiver = aReceiver();
    receiver.answer = () => ({ status: 200, body: { text: 'It is noon.' } });
    await succeed(inProcess('PUT', `${bot.path}/webhook`, { token: owner.token, body: { url: receiver.url } }));
    const { connection, talk } = await connected(owner);
    await call('POST', '/api/messages', {
      token: owner.token,
      body: { room: room.id, text: `@${bot.username} what time is it?` },
    });
    await aws.idle();
    const shown = aws.frames.splice(0).filter((one) => one.connection === connection);
    expect(shown.map(({ frame }) => (frame.events as { data: { text: string } }[] | undefined)?.at(-1)?.data.text)).toEqual([
      `@${bot.username} what time is it?`,
      'It is noon.',
    ]);
    await talk('DISCONNECT');
  });

  it.each([
    ['a test event of the console', { key1: 'value1', key2: 'value2' }],
    ['a warm-up call', { source: 'serverless-plugin-warmup' }],
    ['a request of payload format 1.0', { httpMethod: 'GET', path: '/api/health', requestContext: { stage: 'dev' } }],
    ['nothing', {}],
  ])('packaged functions answer %s, and do nothing', async (_what, event) => {
    const description = expect.stringContaining('This function takes requests of an HTTP API with payload format 2.0');
    const { result } = await aws.invoke('health', event);
    expect(result).toMatchObject({ statusCode: 400 });
    expect(JSON.parse((result as Answer).body)).toMatchObject({ code: 'foreign_event', description });
    expect(await aws.invoke('socket', event)).toMatchObject({ result: { statusCode: 400 } });
    for (const name of ['push', 'deliver'])
      expect(await aws.invoke(name, event)).toEqual({
        result: { ignored: expect.stringMatching(/^This function takes .* not this event\.$/) },
      });
  });

  it('a packaged function without its connection string fails to start, and says why in its log', async () => {
    const broken = await start({});
    await expect(broken.invoke('health', {})).rejects.toThrow(
      '/chat-service/dev/mongodb-uri could not be read: ParameterNotFound',
    );
    await broken.end();
  });
});

type Account = { token: string };

/** Opens a WebSocket, as a page does. */
async function connected({ token }: Account) {
  const { body: ticket } = await call('POST', '/api/tickets', { token, body: {} });
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
    const { result } = await aws.invoke('socket', { requestContext, isBase64Encoded: false, ...more });
    return result as Answer;
  };
  const protocols = `chat.v1, ticket.${ticket.ticket}`;
  expect(await talk('CONNECT', { headers: { 'Sec-WebSocket-Protocol': protocols } })).toMatchObject({ statusCode: 200 });
  expect(await talk('MESSAGE', { body: '{"type":"hello"}' })).toMatchObject({ statusCode: 200 });
  for (const log of [aws.frames, aws.invoked]) log.splice(0);
  return { connection, talk };
}

async function subscribe({ token }: Account, device: ReturnType<typeof aDevice>): Promise<void> {
  const { body } = await succeed(inProcess('GET', '/api/push-subscription', { token }));
  const subscription = subscriptionOf(device, (body as { key: string }).key);
  await succeed(inProcess('PUT', '/api/push-subscription', { token, body: subscription }));
}
