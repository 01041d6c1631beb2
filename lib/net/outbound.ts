import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { resolveName } from './names.ts';

/*
 * All requests to addresses that users have chosen are sent from here. They must not reach
 * addresses that only this machine, its network or its cloud can reach. Each address of a name is
 * checked, and only a checked address is connected to.
 */

/** The reason why a request was not sent: its address is not on the public internet. */
export class InnerAddressError extends Error {
  override name = 'InnerAddressError';
}

/** A response: the status, the seconds of its `Retry-After`, and the beginning of the body. */
type Reply = { status: number; retryAfter: number | undefined; body: Buffer };

type RequestOptions = {
  headers: Record<string, string>;
  body: Buffer;
  mayBeInner: boolean;
  /** The longest time of the request, in milliseconds. */
  longest?: number;
  /** The account whose number of concurrent name look-ups is limited. */
  payer?: string | undefined;
};

/** The most bytes of a response that are read. */
const mostBytes = 65_536;

/**
 * Posts a body to an address, without following redirects. `mayBeInner` is for addresses that the
 * operator has configured. Rejects without a response, and with an `InnerAddressError`.
 */
export function post(url: URL, { headers, body, mayBeInner, longest = 10_000, payer }: RequestOptions): Promise<Reply> {
  if (!mayBeInner && !isOuter(url))
    return Promise.reject(new InnerAddressError(`${url.host} is not an address of the public internet.`));
  const request = url.protocol === 'http:' ? plainRequest : secureRequest;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': String(body.length) },
        signal: AbortSignal.timeout(longest),
        ...(!mayBeInner && { lookup: publicOnly(payer) }),
      },
      (answer) => {
        const chunks = readBeginning(answer);
        answer.on('error', reject);
        answer.on('close', () =>
          resolve({ status: answer.statusCode ?? 0, retryAfter: secondsOf(answer), body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A response: the status, the seconds of its `Retry-After`, and the body as a stream. */
type Content = { status: number; retryAfter: number | undefined; body: IncomingMessage };

/**
 * Requests an address, without following redirects. The caller must read the body or destroy it.
 * Rejects without a response, and with an `InnerAddressError`. After `longest` milliseconds the
 * body ends with an error.
 */
export function get(url: URL, { headers, mayBeInner, longest, payer }: Omit<RequestOptions, 'body'>): Promise<Content> {
  if (!mayBeInner && !isOuter(url))
    return Promise.reject(new InnerAddressError(`${url.host} is not an address of the public internet.`));
  const request = url.protocol === 'http:' ? plainRequest : secureRequest;
  return new Promise((resolve, reject) => {
    request(
      url,
      { headers, signal: AbortSignal.timeout(longest ?? 10_000), ...(!mayBeInner && { lookup: publicOnly(payer) }) },
      (answer) => resolve({ status: answer.statusCode ?? 0, retryAfter: secondsOf(answer), body: answer }),
    )
      .on('error', reject)
      .end();
  });
}

/**
 * Reads a response to its end, so that the connection can be reused. A response that is too long is
 * cut.
 */
function readBeginning(answer: IncomingMessage): Buffer[] {
  const chunks: Buffer[] = [];
  let read = 0;
  answer.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > mostBytes) answer.destroy();
    else chunks.push(chunk);
  });
  return chunks;
}

function secondsOf({ headers: { 'retry-after': sent } }: IncomingMessage): number | undefined {
  if (sent === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(sent) ? Number(sent) : (Date.parse(sent) - Date.now()) / 1_000;
  return seconds >= 0 ? seconds : undefined;
}

/** True if the operator has configured the host of an https address, or the address's origin. */
export const isNamed = (named: string[], { host, origin, protocol }: URL): boolean =>
  named.some((one) => (one.includes('://') ? one === origin : one === host && protocol === 'https:'));

/**
 * True if the address itself does not forbid requests. Its name may still resolve to an internal
 * address.
 */
export const isOuter = (url: URL): boolean => {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return url.protocol === 'https:' && (isIP(name) === 0 || isPublic(name));
};

/** Creates a look-up that fails if one of the name's addresses is not public. */
const publicOnly =
  (payer: string | undefined): LookupFunction =>
  (name, options, done) => {
    resolveName(name, payer).then(
      (found) => {
        const [inner] = found.filter(({ address }) => !isPublic(address));
        if (inner) return done(new InnerAddressError(`${name} is ${inner.address}, which is not public.`), '');
        const wanted = found.filter(({ family }) => !options.family || family === options.family);
        const [first] = wanted;
        if (!first) return done(new Error(`${name} does not have an address of this kind.`), '');
        if (options.all) return done(null, wanted);
        done(null, first.address, first.family);
      },
      (error) => done(error, ''),
    );
  };

/** True if an IP address is on the public internet. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !reserved.check(address, 'ipv4');
  // Only this range of IPv6 is assigned. Other ranges with an embedded IPv4 address belong to
  // translators such as NAT64.
  return isIP(address) === 6 && given.check(address, 'ipv6') && !reserved.check(address, 'ipv6');
}

const given = new BlockList();
given.addSubnet('2000::', 3, 'ipv6');

/** The ranges in IANA's special-purpose address registries that are not globally reachable. */
const reserved = new BlockList();
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  const [start = '', bits] = range.split('/');
  reserved.addSubnet(start, Number(bits), 'ipv4');
}
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [start = '', bits] = range.split('/');
  reserved.addSubnet(start, Number(bits), 'ipv6');
}
