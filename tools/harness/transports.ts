import { randomUUID } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { partsOf, route } from './routes.ts';

/** What a caller sends, and from which address (a loopback one); `body` is made JSON unless it is a string or bytes already. */
export type Sent = { token?: string | undefined; headers?: Record<string, string>; body?: unknown; source?: string };

/** What a caller gets back; `body` is what its JSON says, or `''`. Header names are in lower case. */
export type Reply = { status: number; headers: Record<string, string>; body: unknown };

/** One way to the service: the same call, the same reply. */
export type Call = (method: string, path: string, sent?: Sent) => Promise<Reply>;

/** Calls the function that `serverless.yml` names for the path, with the event that API Gateway would make (payload 2.0). */
export const inProcess: Call = async (method, path, sent = {}) => {
  const { handler, event, context } = await invocation(method, path, sent);
  const response = await handler(event(), context);
  // The gateway sends no body to HEAD, whatever the function returns.
  const sentBody = method === 'HEAD' ? '' : (response.body ?? '');
  const bytes = Buffer.from(sentBody, response.isBase64Encoded ? 'base64' : 'utf8');
  return reply(response.statusCode, response.headers, bytes);
};

/** What API Gateway makes of a call: which function it invokes, and with what; an event for each time, as the function may change it. */
export async function invocation(method: string, path: string, sent: Sent = {}) {
  const [pathname = '', query = ''] = path.split('?', 2);
  const { name, handler, pathParameters } = await route(pathname);
  const { headers, body } = prepare(sent);
  const sourceIp = sent.source ?? '127.0.0.1';
  const rawPath = partsOf(pathname).join('/');
  const event = () =>
    ({
      version: '2.0',
      routeKey: '$default',
      rawPath,
      rawQueryString: query,
      headers: { ...headers },
      ...(query && { queryStringParameters: joined(new URLSearchParams(query)) }),
      pathParameters: { ...pathParameters },
      requestContext: {
        accountId: 'anonymous',
        apiId: 'local',
        domainName: 'localhost',
        domainPrefix: 'local',
        http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp, userAgent: headers['user-agent'] ?? '' },
        requestId: randomUUID(),
        routeKey: '$default',
        stage: '$default',
        time: '21/Nov/2026:00:00:00 +0000',
        timeEpoch: Date.now(),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : Buffer.from(body).toString('base64') }),
      isBase64Encoded: body !== undefined && typeof body !== 'string',
    }) satisfies APIGatewayProxyEventV2;
  return { name, handler, event, context: { awsRequestId: randomUUID(), functionName: pathname } as Context };
}

/** Calls a running service over HTTP, sending no header that the caller did not ask for. */
export const overHttp =
  (baseUrl: string): Call =>
  (method, path, sent = {}) =>
    new Promise((resolve, reject) => {
      const { headers, body } = prepare(sent);
      const length: Record<string, string> = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const request = baseUrl.startsWith('https:') ? requestHttps : requestHttp;
      const outgoing = request(
        baseUrl,
        { path, method, headers: { ...headers, ...length }, agent: false, localAddress: sent.source },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk) => chunks.push(chunk));
          incoming.on('end', () => resolve(reply(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks))));
          incoming.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });

function prepare({ token, headers = {}, body }: Sent) {
  const isReady = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const json = isReady ? (body as string | Uint8Array | undefined) : JSON.stringify(body);
  const all: Record<string, string> = {
    ...(token !== undefined && { 'x-auth-token': token }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  return { headers: all, body: json };
}

/** What was sent more than once is joined with commas. */
const joined = (query: URLSearchParams) =>
  Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name).join(',')]));

function reply(status: number, raw: Record<string, unknown>, bytes: Buffer): Reply {
  const headers = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const plain = decoders[headers['content-encoding'] ?? '']?.(bytes) ?? bytes;
  const isJson = headers['content-type']?.startsWith('application/json') && plain.length > 0;
  return { status, headers, body: isJson ? JSON.parse(plain.toString()) : plain.toString() };
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };
