import { type Call, inProcess, overHttp, type Reply, type SentRequest } from '../../tools/harness/transports.ts';
import { offlineUrl, serveUrl } from './services.ts';

/** A request and a description of it. */
export type Example = [what: string, method: string, path: string, sent: SentRequest];

/** A part of a response that differs between a transport and the in-process call. */
export type Difference = { request: string; transport: string; part: string; expected: unknown; actual: unknown };

/** The headers of the contract, and the security headers. */
const named = [
  'allow',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'cache-control',
  'content-encoding',
  'content-security-policy',
  'content-type',
  'link',
  'referrer-policy',
  'retry-after',
  'set-cookie',
  'strict-transport-security',
  'vary',
  'x-content-type-options',
  'x-frame-options',
  'x-next-cursor',
];

/** Sends each request through every transport, `width` at a time, and lists the differences. */
export async function differences(examples: Example[], width = 8): Promise<Difference[]> {
  const found: Difference[] = [];
  for (let at = 0; at < examples.length; at += width) {
    found.push(...(await Promise.all(examples.slice(at, at + width).map(differencesOf))).flat());
  }
  return found;
}

async function differencesOf([what, method, path, sent]: Example): Promise<Difference[]> {
  const expected = parts(await inProcess(method, path, sent), method);
  const perTransport = transports.map(async ([transport, call]) => {
    const actual = parts(await call(method, path, sent), method);
    return Object.keys(expected)
      .filter((part) => JSON.stringify(actual[part]) !== JSON.stringify(expected[part]))
      .map((part) => ({ request: what, transport, part, expected: expected[part], actual: actual[part] }));
  });
  return (await Promise.all(perTransport)).flat();
}

const transports: [string, Call][] = [
  ['under serverless-offline', async (...call) => overHttp(await offlineUrl())(...call)],
  ['under npm run serve', async (...call) => overHttp(await serveUrl())(...call)],
];

function parts({ status, headers, body }: Reply, method: string): Record<string, unknown> {
  return {
    status,
    ...Object.fromEntries(
      named.map((name) => [name, headers[name]?.replace(scriptHash, "script-src 'sha256'").replace(socketOrigin, '')]),
    ),
    'has x-request-id': headers['x-request-id'] !== undefined,
    // A response to HEAD has an empty body. Only the beginning of a page is compared, because its
    // script depends on its loader.
    body:
      method === 'HEAD' ? '' : headers['content-type']?.startsWith('text/html') ? String(body).slice(0, 200) : constantOf(body),
    ...(status === 405 && { 'content-length': headers['content-length'] }),
  };
}

/**
 * A body without the parts that are always different: a challenge, or a ticket with its expiry and
 * address.
 */
function constantOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('challenge' in body) return { ...body, challenge: '' };
  return 'ticket' in body ? { ...body, url: '', ticket: '', expires_at: '' } : body;
}

// The hash of a page's script, which depends on its loader.
const scriptHash = /script-src 'sha256-[^']+'/;

// The origin of WebSockets, if it is a separate one.
const socketOrigin = / wss?:\/\/[^;]+/;
