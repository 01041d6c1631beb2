import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { ApiEvent } from '../../../lib/http/request.ts';
import type { Match } from './routes.ts';

/** The parts of an HTTP message that an event consists of. */
type Message = Pick<IncomingMessage, 'method' | 'rawHeaders' | 'httpVersion'>;

/** The properties of a request in addition to its message. */
export type ReceivedRequest = {
  id: string;
  at: number;
  source: string;
  path: string;
  query: string;
  body: Buffer | undefined;
  bytes?: ApiEvent['bytes'];
};

/** Converts a request to an event of API Gateway's HTTP APIs (payload 2.0). */
export function makeEvent(
  request: Message,
  received: ReceivedRequest,
  { route, variables }: Match,
): APIGatewayProxyEventV2 & Pick<ApiEvent, 'bytes'> {
  const { id, at, source, query } = received;
  const { headers, cookies } = readHeaders(request.rawHeaders);
  const path = received.path.includes('%') ? decodeURIComponent(received.path) : received.path;
  const routeKey = route.path === '*' ? '$default' : `${route.method} ${route.path}`;
  const body = received.body && readBody(received.body, headers);
  const event: APIGatewayProxyEventV2 & Pick<ApiEvent, 'bytes'> = {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'serve',
      domainName: headers.host ?? '',
      domainPrefix: 'serve',
      http: {
        method: request.method ?? '',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: source,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: id,
      routeKey,
      stage: '$default',
      time: logTime(at),
      timeEpoch: at,
    },
    isBase64Encoded: body?.isBase64Encoded ?? false,
  };
  // Assigned, because object spreads would copy each object.
  if (cookies) event.cookies = cookies;
  if (query !== '') event.queryStringParameters = readQuery(query);
  if (variables) event.pathParameters = variables;
  if (body) event.body = body.body;
  if (received.bytes) event.bytes = received.bytes;
  return event;
}

/** The Lambda context of a request whose function may run for `milliseconds`. */
export const makeContext = ({ id, at }: ReceivedRequest, { route }: Match, milliseconds: number) =>
  ({
    awsRequestId: id,
    functionName: route.name,
    getRemainingTimeInMillis: () => at + milliseconds - Date.now(),
  }) as Context;

/**
 * Splits the target of a request into path and query. If the path has a malformed escape, each `%`
 * in it is literal.
 */
export function splitTarget(target: string): { path: string; query: string } {
  const relative = target.startsWith('/') ? target : target.replace(/^\w+:\/\/[^/?]*/, '');
  const mark = relative.indexOf('?');
  const path = (mark < 0 ? relative : relative.slice(0, mark)) || '/';
  return { path: isWellEscaped(path) ? path : path.replaceAll('%', '%25'), query: mark < 0 ? '' : relative.slice(mark + 1) };
}

function isWellEscaped(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function readHeaders(raw: string[]) {
  // An object without a prototype treats `__proto__` like any other name.
  const headers: Record<string, string> = Object.create(null);
  let cookies: string[] | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    const value = raw[at + 1] as string;
    if (name === 'cookie') cookies = [...(cookies ?? []), ...value.split(/;\s*/)];
    else {
      const before = headers[name];
      headers[name] = before === undefined ? value : `${before},${value}`;
    }
  }
  return { headers, cookies };
}

function readQuery(query: string): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    parameters[name] = name in parameters ? `${parameters[name]},${value}` : value;
  }
  return parameters;
}

function readBody(bytes: Buffer, headers: Record<string, string>) {
  const isText = textual.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined && isUtf8(bytes);
  return { body: bytes.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

const textual = /^\s*(text\/|application\/(([\w!#$&^.-]+\+)?json|xml|javascript)\s*(;|$))/i;

let second = 0;
let text = '';

// Formatted as "21/Nov/2026:04:04:42 +0000". Cached, because many requests share a second.
function logTime(at: number): string {
  if (Math.floor(at / 1_000) !== second) {
    second = Math.floor(at / 1_000);
    const [, day, month, year, time] = new Date(at).toUTCString().split(' ');
    text = `${day}/${month}/${year}:${time} +0000`;
  }
  return text;
}
