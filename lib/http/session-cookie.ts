import { about, flag, withDefault } from '../api/parameters.ts';
import { isToken } from '../api/schema.ts';
import { permissionDenied, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { config } from '../settings/config.ts';
import { Answer } from './answers.ts';
import type { ApiEvent } from './request.ts';

/*
 * A browser's session in a cookie that no script can read. Four things keep other sites from using it:
 * SameSite=Strict, with which browsers send it for their own site alone; `Sec-Fetch-Site` and `Origin`, which also
 * tell other ports and subdomains of that site apart; a JSON body, which no form can send; and CORS, which never
 * allows credentials.
 */

/** The parameter by which a browser asks for it. */
export const wantsCookie = {
  cookie: about('Whether the browser keeps the token in a cookie. The answer then lacks `token`.', withDefault(flag, false)),
};

/** The header that sets it, as OpenAPI describes it. */
export const cookieHeader = {
  type: 'string',
  pattern: '^(__Host-)?session=',
  description: "The session's token, out of reach of scripts: `__Host-session` over https, `session` over plain http.",
} as const;

/**
 * The token in the headers of a request: in `X-Auth-Token`, or else in `Authorization: Bearer`, unless a proxy uses
 * that for tokens of its own.
 */
export function headerToken({ 'x-auth-token': token, authorization = '' }: Headers): string | undefined {
  if (token !== undefined) return token;
  const bearer = /^bearer +(.*?) *$/i.exec(authorization)?.[1];
  return isToken(bearer) ? bearer : undefined;
}

/** The token that a request carries: in its headers, or else in the cookie if a page of the service's own origin sent it. */
export function tokenOf({ headers, cookies = [] }: Pick<ApiEvent, 'headers' | 'cookies'>): string | undefined {
  const token = headerToken(headers);
  const cookie = token === undefined ? hostCookieOf({ headers, cookies }, 'session') : undefined;
  return cookie !== undefined && isFromOwnOrigin(headers) ? cookie : token;
}

const foreignOrigin: Refusal = () =>
  permissionDenied('foreign_origin', "Only a page of the service's own origin gets a session in a cookie.");
export const cookieRefusals = [foreignOrigin];

/**
 * Refuses, with 403, to give a session in a cookie to a page of another origin. It would sign in a visitor of that
 * page as somebody else.
 */
export function requireOwnOrigin(headers: Headers): void {
  if (!isFromOwnOrigin(headers)) throw foreignOrigin();
}

/** Whether the token of a caller came in the cookie. */
export const hasCookie = (headers: Headers): boolean => headerToken(headers) === undefined;

/** Answers with a new session whose token only the browser gets to know. */
export const answerInCookie = <T extends { token: string }>({ token, ...shown }: T, headers: Headers) =>
  new Answer(shown, { 'Set-Cookie': cookie(headers, token, config.sessionDays * 86_400) });

/** Answers that the session of the cookie has ended. */
export const answerCookieEnded = (headers: Headers) => new Answer(undefined, { 'Set-Cookie': cookie(headers, '', 0) });

/*
 * The cookie that binds a sign-in by an identity provider to the browser that has begun it. Each has one of its own, so
 * that those in several tabs do not disturb each other.
 */
const signInName = (state: string) => `oidc-${state.slice(0, 8)}`;

/** The header that sets it, as OpenAPI describes it. */
export const signInCookieHeader = {
  type: 'string',
  pattern: '^(__Host-)?oidc-',
  description: 'The secret that binds the sign-in to this browser, out of reach of scripts.',
} as const;

/** The cookie with the secret of a sign-in, for so many seconds. */
export const signInCookie = (headers: Headers, state: string, secret: string, seconds: number) =>
  hostCookie(headers, signInName(state), secret, seconds);

/** The secret of a sign-in in the cookies of a request. */
export const signInCookieOf = (request: { headers: Headers; cookies: readonly string[] }, state: string): string | undefined =>
  hostCookieOf(request, signInName(state));

type Headers = Record<string, string | undefined>;

const cookie = (headers: Headers, value: string, seconds: number) => hostCookie(headers, 'session', value, seconds);

/** A cookie that no script and no other site gets to use, for the header `Set-Cookie`. */
const hostCookie = (headers: Headers, name: string, value: string, seconds: number) =>
  `${hostName(headers, name)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${isHttps(headers) ? '; Secure' : ''}`;

/** The value of such a cookie in a request. */
function hostCookieOf({ headers, cookies }: { headers: Headers; cookies: readonly string[] }, name: string): string | undefined {
  const start = `${hostName(headers, name)}=`;
  return cookies.find((one) => one.startsWith(start))?.slice(start.length);
}

// Browsers take a `__Host-` cookie from nothing but the host itself, and over https alone. In a plain-http LAN they
// would drop it.
const hostName = (headers: Headers, name: string) => (isHttps(headers) ? `__Host-${name}` : name);

const isHttps = (headers: Headers) => /^https\b/i.test(headers['x-forwarded-proto']?.trim() ?? '');

// Browsers send `Sec-Fetch-Site` over https and to localhost; over plain http `Origin` must do, which every change carries.
function isFromOwnOrigin({ 'sec-fetch-site': site, origin, ...headers }: Headers): boolean {
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || isOwnOrigin(origin, headers);
}

/**
 * Whether an origin is the service's own, as the request says, or the proxies that it came by, or `PUBLIC_URL`. A page of
 * another origin can't send headers of proxies: CORS does not allow them.
 */
function isOwnOrigin(origin: string, headers: Headers): boolean {
  const { host, 'x-forwarded-host': forwardedHost = '', 'x-forwarded-port': port } = headers;
  const page = URL.parse(origin);
  if (!page?.host) return false;
  const hosts = [host, port && host && `${URL.parse(`http://${host}`)?.hostname}:${port}`, ...forwardedHost.split(',')];
  // A port that is the scheme's own may be written or not.
  const isOwn = hosts.some((own) => own && URL.parse(`${page.protocol}//${own.trim()}`)?.host === page.host);
  if (isOwn || page.origin === URL.parse(config.publicUrl)?.origin) return true;
  if (page.hostname === host) explainOnce(page.origin, host);
  return false;
}

let isExplained = false;

// Where a proxy keeps the port to itself, people sign in and can change nothing.
function explainOnce(origin: string, host: string): void {
  if (isExplained) return;
  isExplained = true;
  log('error', 'a page was not taken for the own one', {
    origin,
    host,
    advice: 'If it is, let the proxy pass on the port (in nginx: proxy_set_header Host $http_host), or set PUBLIC_URL.',
  });
}
