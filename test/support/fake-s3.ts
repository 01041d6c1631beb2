import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A stored object, with the time of its upload. */
type StoredObject = { bytes: Buffer; type: string; checksum: string; at: Date };

export const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
export const region = 'eu-central-1';

/** The page size of lists, which is small so that there are several pages. */
const pageLength = 3;

/**
 * A fake object store with one private bucket. It verifies each signature independently, according
 * to Signature Version 4. It rejects requests that are unsigned, wrongly signed or expired.
 */
export async function startFakeS3(keys = credentials) {
  const bucket = 'files';
  const objects = new Map<string, StoredObject>();
  /**
   * The milliseconds that its clock is ahead, and a time: addresses that were signed before it have
   * expired.
   */
  const clock = { ahead: 0, endedBefore: 0 };
  /** Handlers that may answer a request instead. */
  const faults: ((request: IncomingMessage, response: ServerResponse) => boolean)[] = [];

  const server = createServer((request, response) => {
    answer(request, response).catch((error) =>
      refuse(response, error instanceof Refused ? error : new Refused(500, String(error))),
    );
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    if (request.headers.origin) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Allow-Methods', 'GET, PUT');
      response.setHeader('Access-Control-Allow-Headers', 'content-type, x-amz-checksum-sha256');
    }
    if (method === 'OPTIONS') return void response.end();
    if (faults.shift()?.(request, response)) return;
    // The service's credentials must not be sent here.
    if (request.headers.cookie || request.headers['x-auth-token']) throw new Refused(400, 'TokenSent');
    requireSignature(request, url, { keys, now: Date.now() + clock.ahead, endedBefore: clock.endedBefore });
    const [, name, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (name !== bucket) throw new Refused(404, 'NoSuchBucket');
    const key = rest.join('/');
    if (key === '' && method === 'GET') return list(url.searchParams, response);
    const stored = objects.get(key);
    if (method === 'PUT') return put(key, request, response);
    if (method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (!stored) throw new Refused(404, 'NoSuchKey');
    get(stored, request, url.searchParams, response);
  }

  async function put(key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'content-length': length, 'content-type': type = '', 'x-amz-checksum-sha256': checksum } = request.headers;
    if (length === undefined) throw new Refused(411, 'MissingContentLength');
    if (typeof checksum !== 'string') throw new Refused(400, 'MissingChecksum');
    const bytes = await buffer(request);
    if (createHash('sha256').update(bytes).digest('base64') !== checksum) throw new Refused(400, 'BadDigest');
    objects.set(key, { bytes, type, checksum, at: new Date() });
    response.setHeader('ETag', '"0"').end();
  }

  function get(
    { bytes, type, checksum, at }: StoredObject,
    request: IncomingMessage,
    query: URLSearchParams,
    response: ServerResponse,
  ) {
    response.setHeader('Content-Type', query.get('response-content-type') ?? type);
    response.setHeader('Last-Modified', at.toUTCString());
    for (const name of ['Content-Disposition', 'Cache-Control'])
      if (query.has(`response-${name.toLowerCase()}`))
        response.setHeader(name, query.get(`response-${name.toLowerCase()}`) ?? '');
    if (request.headers['x-amz-checksum-mode'] === 'ENABLED') response.setHeader('x-amz-checksum-sha256', checksum);
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (first !== undefined && Number(first) >= bytes.length) throw new Refused(416, 'InvalidRange');
    const part = first === undefined ? bytes : bytes.subarray(Number(first), last ? Number(last) + 1 : undefined);
    const end = Number(first) + part.length - 1;
    response.writeHead(first === undefined ? 200 : 206, {
      'Content-Length': part.length,
      'Accept-Ranges': 'bytes',
      ...(first !== undefined && { 'Content-Range': `bytes ${first}-${end}/${bytes.length}` }),
    });
    response.end(request.method === 'HEAD' ? undefined : part);
  }

  function list(query: URLSearchParams, response: ServerResponse): void {
    const [prefix, after] = [query.get('prefix') ?? '', query.get('continuation-token') ?? query.get('start-after') ?? ''];
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, pageLength);
    const rows = page.map(
      (key) => `<Contents><Key>${key}</Key><LastModified>${objects.get(key)?.at.toISOString()}</LastModified></Contents>`,
    );
    const next = keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    response.end(`<?xml version="1.0"?><ListBucketResult>${rows.join('')}${next}</ListBucketResult>`);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { endpoint, bucket, objects, clock, faults, close };
}

export type FakeS3 = Awaited<ReturnType<typeof startFakeS3>>;

class Refused extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

function refuse(response: ServerResponse, { status, message }: Refused): void {
  response.shouldKeepAlive = false;
  response.writeHead(status, { 'Content-Type': 'application/xml' }).end(`<Error><Code>${message}</Code></Error>`);
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** Headers that must be signed if a request has them. All others could be changed on the way. */
const signable = /^(host|content-length|content-type|x-amz-.*)$/;

type Circumstances = { keys: typeof credentials; now: number; endedBefore: number };

function requireSignature(request: IncomingMessage, url: URL, { keys, now, endedBefore }: Circumstances): void {
  const query = Object.fromEntries(url.searchParams);
  const isPresigned = 'X-Amz-Signature' in query;
  const [, inHeader = ''] = /^AWS4-HMAC-SHA256 (.*)$/.exec(request.headers.authorization ?? '') ?? [];
  if (!isPresigned && inHeader === '') throw new Refused(403, 'AccessDenied');
  const said = isPresigned
    ? { Credential: query['X-Amz-Credential'], SignedHeaders: query['X-Amz-SignedHeaders'], Signature: query['X-Amz-Signature'] }
    : Object.fromEntries(inHeader.split(', ').map((one) => one.split(/=(.*)/s).slice(0, 2)));
  const date = isPresigned ? query['X-Amz-Date'] : String(request.headers['x-amz-date']);
  const [accessKeyId, ...scope] = String(said.Credential).split('/');
  if (accessKeyId !== keys.accessKeyId) throw new Refused(403, 'InvalidAccessKeyId');
  if (scope.join('/') !== `${date?.slice(0, 8)}/${region}/s3/aws4_request`)
    throw new Refused(403, 'AuthorizationHeaderMalformed');

  const signed = String(said.SignedHeaders).split(';');
  const body = Number(request.headers['content-length'] ?? 0) > 0 || request.method === 'PUT';
  const present = Object.keys(request.headers).filter((name) => signable.test(name) && (body || name !== 'content-length'));
  if (present.some((name) => !signed.includes(name))) throw new Refused(403, 'HeadersNotSigned');
  // Without a signed length and checksum, the body could be replaced.
  if (body && !['content-length', 'x-amz-checksum-sha256'].every((name) => signed.includes(name)))
    throw new Refused(403, 'BodyNotSigned');
  const parameters = Object.entries(query).filter(([name]) => name !== 'X-Amz-Signature');
  const canonical = [
    request.method,
    url.pathname,
    parameters
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...signed.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}`,
    ),
    '',
    signed.join(';'),
    isPresigned ? 'UNSIGNED-PAYLOAD' : request.headers['x-amz-content-sha256'],
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = scope.reduce<string | Buffer>((known, part) => hmac(known, part), `AWS4${keys.secretAccessKey}`);
  if (hmac(key, text).toString('hex') !== said.Signature) throw new Refused(403, 'SignatureDoesNotMatch');

  const at = Date.parse(String(date).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const until = isPresigned ? at + Number(query['X-Amz-Expires']) * 1_000 : at + 900_000;
  if (!(now <= until && now >= at - 900_000) || at < endedBefore)
    throw new Refused(403, isPresigned ? 'AccessDenied' : 'RequestTimeTooSkewed');
}
