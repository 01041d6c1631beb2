import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { type Account, aSession } from './accounts.ts';
import { useConfig } from './config.ts';
import { type Call, inProcess, type Reply } from './transports.ts';

/** The issuer in tests. */
export const issuer = 'https://chat.example.org';

/** An app with a client metadata document, and how often the document was read. */
export type TestApp = {
  clientId: string;
  redirectUri: string;
  document: Record<string, unknown>;
  /** Answers a request for the document. */
  answer: (response: ServerResponse) => void;
  asked: number;
};

const apps = new Map<string, TestApp>();
const server = createServer((request, response) => {
  const app = apps.get(request.url ?? '');
  if (!app) return void response.writeHead(404).end();
  app.asked++;
  app.answer(response);
});
server.listen(0, '127.0.0.1').unref();
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Lets the apps of this machine sign in to the service of the test file. */
export const useOAuth = (): void => useConfig({ PUBLIC_URL: issuer, OAUTH_HOSTS: origin });

/** An app that publishes a client metadata document; `changes` are fields of the document. */
export function anApp(changes: Record<string, unknown> = {}): TestApp {
  const path = `/apps/${randomBytes(8).toString('hex')}.json`;
  const clientId = `${origin}${path}`;
  const redirectUri = 'https://app.example.com/callback';
  const document = {
    client_id: clientId,
    client_name: 'Example app',
    redirect_uris: [redirectUri, 'http://127.0.0.1:33418/callback'],
    token_endpoint_auth_method: 'none',
    ...changes,
  };
  const app: TestApp = {
    clientId,
    redirectUri,
    document,
    answer: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(app.document)),
    asked: 0,
  };
  apps.set(path, app);
  return app;
}

/** The secret of PKCE, and its challenge. */
export function aVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The parameters of an authorization request. `changes` replace some; `undefined` removes one. */
export function requestOf(app: TestApp, challenge: string, changes: Record<string, string | undefined> = {}) {
  const all = {
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    ...changes,
  };
  return Object.fromEntries(Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined));
}

export type SignedInUser = { account: Account; session: string };

/** Somebody who is signed in. */
export const signedIn = async (account: Account, call: Call = inProcess): Promise<SignedInUser> => ({
  account,
  session: await aSession(call, account),
});

/** Asks what the page would ask a user. */
export const describe = ({ session }: SignedInUser, request: Record<string, string>, call: Call = inProcess): Promise<Reply> =>
  call('GET', `/api/oauth/authorization?${new URLSearchParams(request)}`, { token: session });

/** Allows an app, as the page does. */
export const allow = (
  { account, session }: SignedInUser,
  request: Record<string, string>,
  { call = inProcess, proof = { current_password: account.password } }: { call?: Call; proof?: object } = {},
): Promise<Reply> => call('POST', '/api/oauth/authorization', { token: session, body: { ...request, ...proof } });

/** Sends a form as an app. */
export const post = (path: string, form: Record<string, string> | [string, string][], call: Call = inProcess): Promise<Reply> =>
  call('POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });

/** Allows an app, and returns what it needs to exchange the code. */
export async function aCode(who: SignedInUser, app = anApp(), changes: Record<string, string> = {}) {
  const { verifier, challenge } = aVerifier();
  const request = requestOf(app, challenge, changes);
  const reply = await allow(who, request);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  const { searchParams } = new URL((reply.body as { url: string }).url);
  return {
    app,
    form: {
      grant_type: 'authorization_code',
      code: searchParams.get('code') ?? '',
      client_id: app.clientId,
      redirect_uri: request.redirect_uri ?? '',
      code_verifier: verifier,
    },
  };
}

export type AppTokens = { access_token: string; refresh_token: string; expires_in: number; scope: string };

/** An app that somebody has connected, with its tokens. */
export async function aConnectedApp(who: SignedInUser, app = anApp(), changes: Record<string, string> = {}) {
  const { form } = await aCode(who, app, changes);
  const reply = await post('/api/oauth/token', form);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return { app, form, tokens: reply.body as AppTokens };
}

/** Uses a refresh token as an app. */
export const refresh = (app: Pick<TestApp, 'clientId'>, token: string, more: Record<string, string> = {}): Promise<Reply> =>
  post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: app.clientId, ...more });

/** `fetch` for clients that are not ours, by a transport of the tests. */
export const fetchBy =
  (call: Call) =>
  async (address: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(String(address instanceof Request ? address.url : address));
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = init.body === undefined || init.body === null ? undefined : String(init.body);
    if (init.body instanceof URLSearchParams) headers['content-type'] ??= 'application/x-www-form-urlencoded';
    const reply = await call(init.method ?? 'GET', `${pathname}${search}`, { headers, body });
    const { 'content-encoding': _, 'content-length': __, ...received } = reply.headers;
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    return new Response(text === '' ? null : text, { status: reply.status, headers: received });
  };
