import { about, flag, withDefault } from '../api/parameters.ts';
import { isToken } from '../api/schema.ts';
import { permissionDenied, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { config } from '../settings/config.ts';
import { Answer } from './answers.ts';
import type { ApiEvent } from './request.ts';

/*
 * A browser's session in a cookie that scripts cannot read. Four things prevent other sites from
 * using it. SameSite=Strict: browsers send it for their own site only. `Sec-Fetch-Site` and
 * `Origin`: they also exclude other ports and subdomains of that site. A JSON body, which forms
 * cannot send. CORS, which never allows credentials.
 */

/** The parameter that requests a cookie. */
export const wantsCookie = {
  cookie: about('Whether the browser keeps the token in a cookie. The answer then lacks `token`.', withDefault(flag, false)),
};

/** The header that sets the session cookie, for OpenAPI. */
export const cookieHeader = {
  type: 'string',
  pattern: '^(__Host-)?session=',
  description: "The session's token, out of reach of scripts: `__Host-session` over https, `session` over plain http.",
} as const;

/**
 * The token in the headers of a request: `X-Auth-Token`, or else `Authorization: Bearer`. A bearer
 * in another format is ignored, because it may be a proxy's.
 */
export function headerToken({ 'x-auth-token': token, authorization = '' }: Headers): string | undefined {
  if (token !== undefined) return token;
  const bearer = /^bearer +(.*?) *$/i.exec(authorization)?.[1];
  return isToken(bearer) ? bearer : undefined;
}

/**
 * The token of a request: from its headers, or else from the cookie if a page of the service's own
 * origin sent it.
 */
export function tokenOf({ headers, cookies = [] }: Pick<ApiEvent, 'headers' | 'cookies'>): string | undefined {
  const token = headerToken(headers);
  const cookie = token === undefined ? hostCookieOf({ headers, cookies }, 'session') : undefined;
  return cookie !== undefined && isFromOwnOrigin(headers) ? cookie : token;
}

const foreignOrigin: Refusal = () =>
  permissionDenied('foreign_origin', "Only a page of the service's own origin gets a session in a cookie.");
export const cookieRefusals = [foreignOrigin];

/**
 * Refuses, with 403, to set a session cookie for a page of another origin. Otherwise such a page
 * could sign in its visitor as somebody else.
 */
export function requireOwnOrigin(headers: Headers): void {
  if (!isFromOwnOrigin(headers)) throw foreignOrigin();
}

/** Returns true if an authenticated request has its token in the cookie. */
export const hasCookie = (headers: Headers): boolean => headerToken(headers) === undefined;

/**
 * Answers with a new session in a cookie. The body omits the token, so that scripts cannot read it.
 */
export const answerInCookie = <T extends { token: string }>({ token, ...shown }: T, headers: Headers) =>
  new Answer(shown, { 'Set-Cookie': cookie(headers, token, config.sessionDays * 86_400) });

/** Answers that the cookie's session has ended, and deletes the cookie. */
export const answerCookieEnded = (headers: Headers) => new Answer(undefined, { 'Set-Cookie': cookie(headers, '', 0) });

/*
 * The name of the cookie that binds a sign-in through an identity provider to the browser. Each
 * sign-in has its own cookie, so that several tabs do not interfere.
 */
const signInName = (state: string) => `oidc-${state.slice(0, 8)}`;

/** The header that sets the sign-in cookie, for OpenAPI. */
export const signInCookieHeader = {
  type: 'string',
  pattern: '^(__Host-)?oidc-',
  description: 'The secret that binds the sign-in to this browser, out of reach of scripts.',
} as const;

/** The cookie with the secret of a sign-in, valid for `seconds`. */
export const signInCookie = (headers: Headers, state: string, secret: string, seconds: number) =>
  hostCookie(headers, signInName(state), secret, seconds);

/** The secret of a sign-in, from the cookies of a request. */
export const signInCookieOf = (request: { headers: Headers; cookies: readonly string[] }, state: string): string | undefined =>
  hostCookieOf(request, signInName(state));

type Headers = Record<string, string | undefined>;

const cookie = (headers: Headers, value: string, seconds: number) => hostCookie(headers, 'session', value, seconds);

/** The `Set-Cookie` value of a cookie that scripts and other sites cannot use. */
const hostCookie = (headers: Headers, name: string, value: string, seconds: number) =>
  `${hostName(headers, name)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${isHttps(headers) ? '; Secure' : ''}`;

/** The value of such a cookie in a request. */
function hostCookieOf({ headers, cookies }: { headers: Headers; cookies: readonly string[] }, name: string): string | undefined {
  const start = `${hostName(headers, name)}=`;
  return cookies.find((one) => one.startsWith(start))?.slice(start.length);
}

// Browsers accept a `__Host-` cookie from the host itself and over https only. In a plain-http LAN
// they would drop it.
const hostName = (headers: Headers, name: string) => (isHttps(headers) ? `__Host-${name}` : name);

const isHttps = (headers: Headers) => /^https\b/i.test(headers['x-forwarded-proto']?.trim() ?? '');

// Browsers send `Sec-Fetch-Site` over https and to localhost only. Over plain http, the check
// relies on `Origin`, which browsers send with every change.
function isFromOwnOrigin({ 'sec-fetch-site': site, origin, ...headers }: Headers): boolean {
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || isOwnOrigin(origin, headers);
}

/**
 * Returns true if an origin is the service's own: according to the request, the proxies' headers,
 * or `PUBLIC_URL`. A page of another origin cannot send the proxies' headers, because CORS does not
 * allow them.
 */
function isOwnOrigin(origin: string, headers: Headers): boolean {
  const { host, 'x-forwarded-host': forwardedHost = '', 'x-forwarded-port': port } = headers;
  const page = URL.parse(origin);
  if (!page?.host) return false;
  const hosts = [host, port && host && `${URL.parse(`http://${host}`)?.hostname}:${port}`, ...forwardedHost.split(',')];
  // The default port of a scheme may be explicit or omitted.
  const isOwn = hosts.some((own) => own && URL.parse(`${page.protocol}//${own.trim()}`)?.host === page.host);
  if (isOwn || page.origin === URL.parse(config.publicUrl)?.origin) return true;
  if (page.hostname === host) explainOnce(page.origin, host);
  return false;
}

let isExplained = false;

// If a proxy does not pass on the port, people can sign in but cannot change anything.
function explainOnce(origin: string, host: string): void {
  if (isExplained) return;
  isExplained = true;
  log('error', 'a request from a page of another origin was refused', {
    origin,
    host,
    advice:
      'If it is a page of the service, let the proxy pass on the port (in nginx: proxy_set_header Host $http_host), or set PUBLIC_URL.',
  });
}
