import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FoundRoute } from '../../../hosts/server/http/lazy-routes.ts';
import { startServer } from '../../../hosts/server/server.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import type { ApiResponse } from '../../../lib/http/request.ts';

const servers: { close: () => Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

describe('the server', () => {
  it("the server converts a request to API Gateway's event", async () => {
    const { url } = await aServer(echo);
    const { body } = await send(url, 'POST', '/api/%D1%8F/x?a=1&b=%20&a=2&__proto__=3', '{"text":"я"}', [
      ['Content-Type', 'application/json'],
      ['X-Twice', 'one'],
      ['x-twice', 'two'],
      ['Cookie', 'a=1; b=2'],
      ['Cookie', 'c=3'],
      ['__proto__', 'kept'],
    ]);
    const event = JSON.parse(body);
    const { host } = new URL(url);
    const query = JSON.parse('{"a":"1,2","b":" ","__proto__":"3"}');
    expect(event).toEqual({
      version: '2.0',
      routeKey: 'ANY /api/{letter}/x',
      rawPath: '/api/я/x',
      rawQueryString: 'a=1&b=%20&a=2&__proto__=3',
      cookies: ['a=1', 'b=2', 'c=3'],
      headers: {
        ...JSON.parse('{"__proto__":"kept"}'),
        host,
        connection: 'close',
        'content-length': '13',
        'content-type': 'application/json',
        'x-twice': 'one,two',
      },
      queryStringParameters: query,
      pathParameters: { letter: 'я' },
      requestContext: {
        accountId: 'anonymous',
        apiId: 'serve',
        domainName: host,
        domainPrefix: 'serve',
        http: { method: 'POST', path: '/api/я/x', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        routeKey: 'ANY /api/{letter}/x',
        stage: '$default',
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        timeEpoch: expect.any(Number),
      },
      body: '{"text":"я"}',
      isBase64Encoded: false,
    });
  });

  it.each([
    ['text', 'text/plain; charset=utf-8', 'a', 'a', false],
    ['a kind of JSON', 'application/merge-patch+json', '{}', '{}', false],
    ['a body without a type', undefined, 'a', 'YQ==', true],
    ['an image', 'image/png', 'a', 'YQ==', true],
    ['text that is not UTF-8', 'text/plain', Buffer.from([0xff]), '/w==', true],
  ])('the server passes on %s as the gateway does', async (_what, type, sent, body, isBase64Encoded) => {
    const { url } = await aServer(echo);
    const { body: event } = await send(url, 'POST', '/api/a/x', sent, type === undefined ? [] : [['Content-Type', type]]);
    expect(JSON.parse(event)).toMatchObject({ body, isBase64Encoded });
  });

  it('the server leaves out body, query and cookies if there are none', async () => {
    const { url } = await aServer(echo);
    const event = JSON.parse((await send(url, 'GET', '/api/a/x')).body);
    expect(Object.keys(event)).not.toEqual(expect.arrayContaining(['body']));
    expect(event).not.toHaveProperty('queryStringParameters');
    expect(event).not.toHaveProperty('cookies');
  });

  it.each([
    ['0 proxies are trusted: it is the address that connected', 0, '127.0.0.1'],
    ['1 is trusted: it is the last address, which the proxy added', 1, '10.0.0.2'],
    ['2 are trusted: it is the one before', 2, '10.0.0.1'],
    ['more are trusted than there are: it is the first', 9, '203.0.113.9'],
  ])('the server determines the source address when %s', async (_when, trustProxy, source) => {
    expect(await sourceWith('203.0.113.9, 10.0.0.1, 10.0.0.2', trustProxy)).toBe(source);
  });

  it.each([
    ['with a port', '203.0.113.9:50412', '203.0.113.9'],
    ['in brackets', '[2001:db8::1]', '2001:db8::1'],
    ['in brackets with a port', '[2001:db8::1]:50412', '2001:db8::1'],
    ['of IPv4 within IPv6', '::ffff:203.0.113.9', '203.0.113.9'],
  ])('the server reads an address %s', async (_how, written, source) => {
    expect(await sourceWith(written, 1)).toBe(source);
  });

  it.each(['unknown', '_hidden', '', '203.0.113.999'])(
    "the server uses the proxy's address instead of the invalid '%s'",
    async (written) => {
      expect(await sourceWith(written, 1)).toBe('127.0.0.1');
    },
  );

  async function sourceWith(forwarded: string, trustProxy: number): Promise<string> {
    const { url } = await aServer(echo, { trustProxy });
    const { body } = await send(url, 'GET', '/api/a/x', undefined, [['X-Forwarded-For', forwarded]]);
    return JSON.parse(body).requestContext.http.sourceIp;
  }

  it("the server sends a function's status, headers, cookies and bytes", async () => {
    const { url } = await aServer(async () => ({
      statusCode: 201,
      headers: { 'X-Kind': 'png' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from([1, 2, 255]).toString('base64'),
      isBase64Encoded: true,
    }));
    const { status, headers, bytes } = await send(url, 'GET', '/api/a/x');
    expect({ status, bytes: [...bytes] }).toEqual({ status: 201, bytes: [1, 2, 255] });
    expect(headers).toMatchObject({ 'x-kind': 'png', 'set-cookie': ['a=1', 'b=2'], 'content-length': '3' });
  });

  it.each([
    ['HEAD: no body', 'HEAD', 200, { 'content-length': '2' }],
    ['GET: the body', 'GET', 200, { 'content-length': '2' }],
  ])('the server answers %s', async (_what, method, status, headers) => {
    const { url } = await aServer(async () => ({ statusCode: 200, headers: {}, body: '{}' }));
    const answer = await send(url, method, '/api/a/x');
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: method === 'HEAD' ? '' : '{}' });
    expect(answer.headers).toMatchObject(headers);
  });
});

describe('the limits of the gateway', () => {
  const tooLarge = {
    title: 'Payload too large',
    description: 'The body must not exceed 10485760 bytes.',
    code: 'body_too_large',
  };

  it.each([
    ['10 MB', 10_485_760, 200],
    ['a byte more', 10_485_761, 413],
  ])('the limits of the gateway apply to a body of %s', async (_what, size, status) => {
    const { url } = await aServer(async () => ({ statusCode: 200, headers: {}, body: '{}' }));
    const answer = await send(url, 'POST', '/api/a/x', Buffer.alloc(size));
    expect({ status: answer.status, body: JSON.parse(answer.body) }).toEqual({ status, body: status === 200 ? {} : tooLarge });
  });

  it('a function sees only the part of a large body that shows that it is too large', async () => {
    const { url } = await aServer(echo);
    const body = Buffer.alloc(1_000_000, 'x');
    const event = JSON.parse((await send(url, 'POST', '/api/a/x', body, [['Content-Type', 'text/plain']])).body);
    expect(event.body).toHaveLength(65_537);
  });

  it('the limits of the gateway apply to a body of more than 10 MB without a Content-Length', async () => {
    const { url } = await aServer(echo);
    const outgoing = request(`${url}/api/a/x`, { method: 'POST', agent: false });
    const answered = once(outgoing, 'response');
    outgoing.on('error', () => {}); // the connection is closed before the rest of the body is sent
    for (let sent = 0; sent <= 10; sent++) outgoing.write(Buffer.alloc(1_048_576));
    const [incoming] = await answered;
    expect({ status: incoming.statusCode, body: JSON.parse(await text(incoming)) }).toEqual({ status: 413, body: tooLarge });
  });

  it.each([
    ['that Lambda allows', 6_000_000, 200],
    ['of more than 6 MB', 6_291_557, 500],
  ])('the limits of the gateway apply to a response %s', async (_what, size, status) => {
    const { url } = await aServer(async () => ({ statusCode: 200, headers: {}, body: 'x'.repeat(size) }));
    expect((await send(url, 'GET', '/api/a/x')).status).toBe(status);
  });

  it.each([
    ['10 000 bytes', 10_000, 200],
    ['11 000 bytes', 11_000, 431],
  ])('the limits of the gateway apply to headers of %s', async (_what, size, status) => {
    const { url } = await aServer(echo);
    const answer = await send(url, 'GET', '/api/a/x', undefined, [['X-Long', 'x'.repeat(size)]]);
    expect(answer.status).toBe(status);
    if (status === 431)
      expect(JSON.parse(answer.body)).toEqual({
        title: 'Request header fields too large',
        description: 'The request line and the headers together must not exceed 10240 bytes.',
        code: 'headers_too_large',
      });
  });

  it.each([
    ['two hosts', 'GET /api/a/x HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'],
    [
      'two hosts that asks for a WebSocket',
      'GET /socket HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['HTTP/0.9', 'GET /api/a/x HTTP/0.9\r\n\r\n'],
  ])('the limits of the gateway refuse a request with %s', async (_what, sent) => {
    const { port } = await aServer(echo);
    const socket = connect(port, '127.0.0.1');
    socket.end(sent);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*must be HTTP\/1\.1 with one Host header/s);
  });

  it('the limits of the gateway refuse a request that is not HTTP', async () => {
    const { port } = await aServer(echo);
    const socket = connect(port, '127.0.0.1');
    socket.end('hello\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*X-Request-Id: .*"title":"Bad request"/s);
  });
});

describe('a slow client', () => {
  it('a slow client is answered with a 503 when unfinished bodies would take more than 64 MB', async () => {
    const server = await aServer(async () => ({ statusCode: 200, headers: {}, body: '{}' }), { maxConnections: 10_000 });
    const head = 'POST /api/a/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n';
    const part = Buffer.concat([Buffer.from(head), Buffer.alloc(99_999)]);
    const slow = openMany(server.port, 1_100);
    const answers = slow.map((socket) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data)))));
    for (const socket of slow) socket.write(part);

    expect(await Promise.race(answers)).toMatch(/^HTTP\/1\.1 503 .*Connection: close.*"description":"The service is busy\."/s);
    expect((await send(server.url, 'POST', '/api/a/x', '{}')).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  it('a slow client loses its connection when unread responses would take more than 64 MB', async () => {
    const size = 6_000_000;
    let calls = 0;
    const server = await aServer(async () => {
      calls++;
      return { statusCode: 200, headers: {}, body: 'x'.repeat(size) };
    });
    const unread = openMany(server.port, 20);
    for (const socket of unread) socket.pause().write(aRequest);
    await expect.poll(() => calls, patiently).toBe(20);
    const sizes = await Promise.all(unread.map(readAll));
    // Eleven such responses are less than 64 MB.
    expect(sizes.map((received) => received > size)).toEqual([...Array(9).fill(false), ...Array(11).fill(true)]);
  });

  it.each([
    ['one address has a quarter of the connections', 0, 4],
    ['behind a proxy, whose address all have, there is no such limit', 1, 16],
  ])('a slow client keeps only its share of the connections: %s', async (_what, trustProxy, most) => {
    let calls = 0;
    const finish = Promise.withResolvers<void>();
    onTestFinished(() => finish.resolve());
    const server = await aServer(
      async () => {
        calls++;
        await finish.promise;
        return { statusCode: 200, headers: {}, body: '{}' };
      },
      { trustProxy, maxConnections: 16 },
    );
    let closed = 0;
    const sockets = openMany(server.port, 24);
    for (const socket of sockets) socket.once('close', () => closed++).write(aRequest);
    await expect.poll(() => closed, patiently).toBe(24 - most);
    await expect.poll(() => calls, patiently).toBe(most);

    finish.resolve();
    // When no connection is left, those that wait for nothing give way.
    const another = async () => (await send(server.url, 'GET', '/api/a/x').catch(() => undefined))?.status;
    if (most === 16) await expect.poll(another, patiently).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

const patiently = { timeout: 60_000 };

const aRequest = 'GET /api/a/x HTTP/1.1\r\nHost: a\r\n\r\n';

const openMany = (port: number, count: number) =>
  Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));

describe('closing the server', () => {
  it('closing the server waits for no client whose request was refused and who keeps the connection half-open', async () => {
    const { port, close } = await aServer(echo);
    const sent = ['NOT HTTP\r\n\r\n', 'GET /socket HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'];
    const sockets = sent.map((text) => {
      const socket = connect({ port, allowHalfOpen: true }).resume();
      return socket.once('connect', () => socket.write(text));
    });
    await Promise.all(sockets.map((socket) => once(socket, 'end')));
    await close();
    for (const socket of sockets) socket.destroy();
  });

  it('closing the server answers running requests, accepts no others, and ends idle connections', async () => {
    const { server, started, finish } = await aWaitingServer();
    const running = send(server.url, 'GET', '/api/a/x');
    await started;
    const closed = server.close();
    await expect.poll(() => isRefused(server.port)).toBe(true);
    finish();
    expect(await running).toMatchObject({ status: 200, body: 'done', headers: { connection: 'close' } });
    await closed;
  });

  it('closing the server answers the next request of a connection that was kept alive, and only then ends it', async () => {
    const server = await aServer(echo);
    const [used, unused] = openMany(server.port, 2) as [Socket, Socket];
    const ends = [used, unused].map((socket) => once(socket.resume(), 'close'));
    const answer = async () => {
      used.write(aRequest);
      return String((await once(used, 'data'))[0]);
    };
    expect(await answer()).toMatch(/^HTTP\/1\.1 200 .*Connection: keep-alive/s);
    const closed = server.close();
    await expect.poll(() => isRefused(server.port)).toBe(true);
    expect(await answer()).toMatch(/^HTTP\/1\.1 200 .*Connection: close/s);
    // One that has never brought a request ends as well.
    expect((await Promise.all(ends)).flat()).toEqual([false, false]);
    await closed;
  });

  it('closing the server makes no client open a new connection while the port still accepts one', async () => {
    const { server, started, finish } = await aWaitingServer();
    const [socket] = openMany(server.port, 1) as [Socket];
    socket.write(aRequest);
    await started;
    const closed = server.close();
    finish();
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 .*Connection: keep-alive/s);
    socket.destroy();
    await closed;
  });

  it('closing the server answers all that have connected before, although it has not accepted them yet', async () => {
    const server = await aServer(echo);
    const sockets = openMany(server.port, 100);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const answers = sockets.map(async (socket) => String((await once(socket.end(aRequest), 'data'))[0]).slice(0, 12));
    const closed = server.close();
    expect(await Promise.all(answers)).toEqual(sockets.map(() => 'HTTP/1.1 200'));
    await closed;
  });
});

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });

const echo = async (event: APIGatewayProxyEventV2) => ({
  statusCode: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(event),
});

/** A server that calls one function for every path. */
async function aServer(
  handler: (event: APIGatewayProxyEventV2) => Promise<ApiResponse>,
  { trustProxy = 0, maxConnections = 1_000 } = {},
) {
  const route = { name: 'test', method: 'ANY', path: '/api/{letter}/x', file: '', exported: '' };
  const find = (_method: string, path: string): FoundRoute => ({
    route,
    handler: handler as unknown as Handler,
    variables: { letter: decodeURIComponent(path.split('/')[2] ?? '') },
  });
  const server = await startServer({ host: '127.0.0.1', port: 0, maxConnections, trustProxy }, find);
  servers.push(server);
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}

/** A server whose function has `started`, and responds after `finish`. */
async function aWaitingServer() {
  const [started, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = await aServer(async () => {
    started.resolve();
    await finished.promise;
    return { statusCode: 200, headers: {}, body: 'done' };
  });
  return { server, started: started.promise, finish: finished.resolve };
}

/** Sends these headers, and otherwise only those that HTTP requires. */
async function send(url: string, method: string, path: string, body?: string | Buffer, headers: [string, string][] = []) {
  const length: [string, string][] = body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))]];
  const fields = [['Host', new URL(url).host], ['Connection', 'close'], ...length, ...headers].flat();
  const outgoing = request(url, { method, path, headers: fields, agent: false });
  outgoing.on('error', () => {}); // the connection may close before all of a refused body is sent, but after the response
  outgoing.end(body);
  const [incoming] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { status: incoming.statusCode, headers: incoming.headers, bytes, body: bytes.toString() };
}

/** How many bytes come until the connection ends, or nothing comes for ten seconds. */
function readAll(socket: Socket): Promise<number> {
  let size = 0;
  socket.on('data', (chunk: Buffer) => {
    size += chunk.length;
  });
  return new Promise((resolve) => {
    socket.once('close', () => resolve(size));
    socket.setTimeout(10_000, () => resolve(size));
    socket.resume();
  });
}
