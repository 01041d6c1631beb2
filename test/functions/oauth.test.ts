import { ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { appCodes } from '../../lib/collections/accounts/app-codes.ts';
import { apps } from '../../lib/collections/accounts/apps.ts';
import { tokens } from '../../lib/collections/accounts/tokens.ts';
import { registerApp, removeApp } from '../../lib/oauth/apps.ts';
import { aName, anAccount } from '../support/accounts.ts';
import { callWith, withConfig } from '../support/config.ts';
import {
  type AppTokens,
  aCode,
  aConnectedApp,
  allow,
  anApp,
  describe as ask,
  aVerifier,
  issuer,
  post,
  refresh,
  requestOf,
  signedIn,
  type TestApp,
  useOAuth,
} from '../support/oauth.ts';
import { aDevice, subscriptionOf, usePushService } from '../support/push-service.ts';
import { aRoomOf } from '../support/rooms.ts';
import { codeOf, turnOn } from '../support/second-factor.ts';
import { inProcess as call, type Reply } from '../support/transports.ts';

useOAuth();
usePushService();

type ListedToken = { _id: { $oid: string }; name: string; app?: string; expires_at: { $date: string } };

const newUser = async () => signedIn(await anAccount());
const { challenge } = aVerifier();
const statusOf = async (token: string) => (await call('GET', '/api/users/me', { token })).status;
const listed = async (token: string) => (await call('GET', '/api/tokens', { token })).body as ListedToken[];
const invalidGrant = { status: 400, body: { error: 'invalid_grant', code: 'invalid_grant' } };
const errorIn = ({ status, body }: Reply) => ({ status, error: (body as { error?: string }).error });
const everything = 'rooms:read members:read messages:read rooms:write members:write messages:write';

describe('GET /.well-known/oauth-authorization-server', () => {
  it('the server describes itself with S256 only, public clients, iss and metadata documents', async () => {
    expect(await call('GET', '/.well-known/oauth-authorization-server')).toMatchObject({
      status: 200,
      body: {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/api/oauth/token`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      },
    });
  });

  it.each([
    ['/.well-known/oauth-protected-resource', issuer],
    ['/.well-known/oauth-protected-resource/api/mcp', `${issuer}/api/mcp`],
  ])('%s describes the resource %s', async (path, resource) => {
    const { status, body } = await call('GET', path);
    expect({ status, body }).toMatchObject({ status: 200, body: { resource, authorization_servers: [issuer] } });
  });

  it('a read-only endpoint for agents suggests scopes that read', async () => {
    const reading = callWith({ MCP: 'read' });
    const { body } = await reading('GET', '/.well-known/oauth-protected-resource/api/mcp');
    expect(body).toMatchObject({ scopes_supported: ['rooms:read', 'members:read', 'messages:read'] });
  });

  it.each(['/.well-known/openid-configuration', '/api/oauth/register'])('%s does not exist', async (path) => {
    expect((await call('GET', path)).status).toBe(404);
  });

  it.each([
    ['OAUTH=off', { OAUTH: 'off' }],
    ['no PUBLIC_URL', { PUBLIC_URL: '', SMTP_URL: '' }],
  ])('with %s, apps cannot sign in, and nothing points to the server', async (_, settings) => {
    const { session } = await newUser();
    const off = { status: 404, body: { code: 'oauth_off' } };
    await withConfig(settings, async () => {
      for (const path of ['oauth-authorization-server', 'oauth-protected-resource', 'oauth-protected-resource/api/mcp'])
        expect(await call('GET', `/.well-known/${path}`)).toMatchObject(off);
      expect(await post('/api/oauth/token', {})).toMatchObject(off);
      expect(await post('/api/oauth/revocation', {})).toMatchObject(off);
      const request = requestOf(anApp(), challenge);
      const query = new URLSearchParams(request);
      expect(await call('GET', `/api/oauth/authorization?${query}`, { token: session })).toMatchObject(off);
      expect(await call('POST', '/api/oauth/authorization', { token: session, body: request })).toMatchObject(off);
      const { status, headers } = await call('POST', '/api/mcp', { body: {} });
      expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 401, challenge: undefined });
    });
  });
});

describe('the 401 of POST /api/mcp', () => {
  const resource = `resource_metadata="${issuer}/.well-known/oauth-protected-resource/api/mcp", scope="${everything}"`;

  it('the 401 says where to sign in, and that a token is invalid', async () => {
    const without = await call('POST', '/api/mcp', { body: {} });
    expect(without.headers['www-authenticate']).toBe(`Bearer ${resource}`);
    const invalid = await call('POST', '/api/mcp', { token: 'a'.repeat(32), body: {} });
    expect(invalid.headers['www-authenticate']).toBe(`Bearer error="invalid_token", ${resource}`);
  });

  it('no other path says so', async () => {
    for (const path of ['/api/rooms', '/api/users/me'])
      expect((await call('GET', path)).headers['www-authenticate']).toBeUndefined();
  });
});

describe('GET /api/oauth/authorization', () => {
  it('a user sees the name, the host, the scopes and the redirect URI of an app', async () => {
    const app = anApp();
    const { status, body } = await ask(await newUser(), requestOf(app, challenge, { scope: 'messages:read offline_access' }));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        name: 'Example app',
        host: new URL(app.clientId).host,
        returns_to: 'app.example.com',
        scopes: ['messages:read'],
        refusal: `${app.redirectUri}?error=access_denied&state=a+state&iss=${encodeURIComponent(issuer)}`,
      },
    });
  });

  it('without scopes, an app asks for all scopes of apps, without account and administration', async () => {
    const { body } = await ask(await newUser(), requestOf(anApp(), challenge));
    expect((body as { scopes: string[] }).scopes.join(' ')).toBe(everything);
  });

  it('a document is read once an hour', async () => {
    const [app, user] = [anApp(), await newUser()];
    for (let count = 0; count < 3; count++) await ask(user, requestOf(app, challenge));
    expect(app.asked).toBe(1);
  });

  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['PKCE without its method, which would be plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['PKCE with plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge that is too short', { code_challenge: 'short' }, 'invalid_request'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a token in the response', { response_type: 'token' }, 'unsupported_response_type'],
    ['only scopes of the account', { scope: 'account admin' }, 'invalid_scope'],
    ['another service', { resource: 'https://other.example.org/api/mcp' }, 'invalid_target'],
    ['another path of the service', { resource: `${issuer}/api/users` }, 'invalid_target'],
    ['a service whose name begins in the same way', { resource: `${issuer}.example.com` }, 'invalid_target'],
  ])('a request with %s is refused, and nothing leads to the app without a click', async (_, changes, error) => {
    const [app, user] = [anApp(), await newUser()];
    const request = requestOf(app, challenge, changes);
    const { status, body } = await ask(user, request);
    const { searchParams, origin } = new URL((body as { refusal: string }).refusal);
    expect({ status, origin, error: searchParams.get('error'), iss: searchParams.get('iss') }).toEqual({
      status: 200,
      origin: 'https://app.example.com',
      error,
      iss: issuer,
    });
    expect((body as { error?: string }).error).toEqual(expect.any(String));
    expect(errorIn(await allow(user, request))).toEqual({ status: 400, error });
  });

  it.each([
    ['a longer path', 'https://app.example.com/callback/more'],
    ['a query', 'https://app.example.com/callback?next=https://evil.example'],
    ['a fragment', 'https://app.example.com/callback#fragment'],
    ['another host that begins in the same way', 'https://app.example.com.evil.example/callback'],
    ['a user name', 'https://app.example.com@evil.example/callback'],
    ['a user name before the right host', 'https://evil@app.example.com/callback'],
    ['another port', 'https://app.example.com:8443/callback'],
    ['plain HTTP', 'http://app.example.com/callback'],
    ['another spelling', 'https://APP.example.com/callback'],
    ['a path that leads elsewhere', 'https://app.example.com/x/../callback'],
    ['a loopback address with another path', 'http://127.0.0.1:5000/other'],
    ['another loopback address', 'http://localhost:33418/callback'],
    ['a host after a loopback address', 'http://127.0.0.1:80@evil.example/callback'],
    ['a script', 'javascript:alert(1)'],
    ['a loopback address with an impossible port', 'http://127.0.0.1:99999/callback'],
  ])('a redirect URI with %s is refused, and the response leads nowhere', async (_, redirect_uri) => {
    const [user, request] = [await newUser(), requestOf(anApp(), challenge, { redirect_uri })];
    const refused = { status: 400, body: { code: 'invalid_parameter' } };
    for (const reply of [await ask(user, request), await allow(user, request)]) {
      expect(reply).toMatchObject(refused);
      expect(JSON.stringify(reply.body)).not.toContain('evil');
    }
  });

  it.each(['http://127.0.0.1:50123/callback', 'http://127.0.0.1/callback'])(
    'a program on the device may listen on any port: %s',
    async (redirect_uri) => {
      const { status, body } = await ask(await newUser(), requestOf(anApp(), challenge, { redirect_uri }));
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { is_on_device: true, returns_to: new URL(redirect_uri).host },
      });
    },
  );

  it('a named token cannot allow an app', async () => {
    const { token } = await anAccount();
    const request = requestOf(anApp(), challenge);
    const refused = { status: 403, body: { code: 'session_required' } };
    expect(await call('GET', `/api/oauth/authorization?${new URLSearchParams(request)}`, { token })).toMatchObject(refused);
    expect(await call('POST', '/api/oauth/authorization', { token, body: request })).toMatchObject(refused);
  });

  it('an account opens 60 requests an hour', async () => {
    const [user, app] = [await newUser(), anApp()];
    const other = await newUser();
    const request = requestOf(app, challenge);
    await withConfig({ RATE_LIMITS: 'on' }, async () => {
      for (let count = 0; count < 60; count++) expect((await ask(user, request)).status).toBe(200);
      expect((await ask(user, request)).status).toBe(429);
      expect((await allow(user, request)).status).toBe(429);
      expect((await ask(other, request)).status).toBe(200);
    });
  });
});

describe('client metadata documents', () => {
  it.each<[string, Record<string, unknown>]>([
    ['has another client_id', { client_id: 'https://app.example.com/client.json' }],
    [
      'asks for client authentication; only public clients (`none`) are supported',
      { token_endpoint_auth_method: 'private_key_jwt' },
    ],
    ['lacks usable redirect_uris', { redirect_uris: [] }],
    ['lacks usable redirect_uris', { redirect_uris: ['http://app.example.com/', 'javascript:alert(1)', 'app://x', 7] }],
    [
      'lacks usable redirect_uris',
      { redirect_uris: ['HTTPS://evil.example/cb', 'https:evil.example/cb', 'https:///evil.example'] },
    ],
    ['has more than 16384 bytes', { padding: 'x'.repeat(20_000) }],
  ])('a document that %s is refused', async (problem, changes) => {
    const app = anApp(changes);
    const request = requestOf(app, challenge);
    const description = `The client metadata document of the app ${problem}.`;
    expect(await ask(await newUser(), request)).toMatchObject({
      status: 400,
      body: { code: 'app_document_invalid', description },
    });
  });

  it('a document that is redirected, is not JSON, or never ends is refused', async () => {
    const user = await newUser();
    const redirected = anApp();
    redirected.answer = (response) => void response.writeHead(302, { location: anApp().clientId }).end();
    const text = anApp();
    text.answer = (response) => void response.writeHead(200).end('<html>');
    const endless = anApp();
    endless.answer = (response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(8_192)));
      };
      response.writeHead(200).on('drain', write);
      write();
    };
    for (const app of [redirected, text, endless])
      expect(await ask(user, requestOf(app, challenge))).toMatchObject({ status: 400, body: { code: 'app_document_invalid' } });
  });

  it.each([
    ['is within the network', 'https://127.0.0.1:9/client.json'],
    ['is not an address', 'an app'],
    ['uses plain HTTP', 'http://app.example.com/client.json'],
    ['has no path', 'https://app.example.com/'],
    ['has a fragment', 'https://app.example.com/client.json#x'],
    ['has a user name', 'https://user@app.example.com/client.json'],
    ['has a path that leads elsewhere', 'https://app.example.com/x/../client.json'],
  ])('a client id that %s is refused', async (_, client_id) => {
    const { status, body } = await ask(await newUser(), requestOf(anApp(), challenge, { client_id }));
    const { code } = body as { code: string };
    expect({ status, isKnown: ['app_unknown', 'app_document_invalid'].includes(code) }).toEqual({ status: 400, isKnown: true });
  });

  it('a document on a host that only WEBHOOK_HOSTS names is refused, and never read', async () => {
    const app = anApp();
    const origins = { OAUTH_HOSTS: '', WEBHOOK_HOSTS: new URL(app.clientId).origin };
    const user = await newUser();
    const reply = await withConfig(origins, () => ask(user, requestOf(app, challenge)));
    expect(reply).toMatchObject({ status: 400, body: { code: 'app_unknown' } });
    expect(app.asked).toBe(0);
    expect((await ask(user, requestOf(app, challenge))).status).toBe(200);
  });

  it('an app that prefers to sign, and can do without, is a public client', async () => {
    const app = anApp({
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    });
    expect((await ask(await newUser(), requestOf(app, challenge))).status).toBe(200);
  });

  it('an app without a name has the name of its host', async () => {
    const app = anApp({ client_name: undefined });
    expect((await ask(await newUser(), requestOf(app, challenge))).body).toMatchObject({ name: new URL(app.clientId).host });
  });
});

describe('registered apps', () => {
  it('an app that an administrator registered may have a scheme of its own, and loses all access when it is removed', async () => {
    const [app, user] = [await aRegisteredApp(), await newUser()];
    const { clientId } = app;
    const { body } = await ask(user, requestOf(app, challenge));
    expect(body).toMatchObject({ name: 'Cursor', returns_to: 'anysphere.cursor-mcp', is_on_device: true });
    expect(body).not.toHaveProperty('host');
    const { tokens: issued } = await aConnectedApp(user, app);
    expect(await removeApp(clientId)).toEqual({ name: 'Cursor', ended: 1 });
    expect(await statusOf(issued.access_token)).toBe(401);
    expect(await refresh(app, issued.refresh_token)).toMatchObject(invalidGrant);
    expect(await ask(user, requestOf(app, challenge))).toMatchObject({ status: 400, body: { code: 'app_unknown' } });
  });

  it('an app that is removed cannot exchange a code that it got before', async () => {
    const app = await aRegisteredApp();
    const [kept, { form }] = [await aCode(await newUser()), await aCode(await newUser(), app)];
    expect(await removeApp(app.clientId)).toMatchObject({ ended: 0 });
    expect(await post('/api/oauth/token', form)).toMatchObject(invalidGrant);
    expect(await appCodes.countDocuments({ client_id: app.clientId })).toBe(0);
    expect((await post('/api/oauth/token', kept.form)).status).toBe(200);
  });

  it('a removed app gets no tokens for its earlier codes and refresh tokens', async () => {
    const [app, user] = [await aRegisteredApp(), await newUser()];
    const { form } = await aCode(user, app);
    const { tokens: issued } = await aConnectedApp(user, app);
    await apps.deleteOne({ _id: app.clientId });
    expect(await post('/api/oauth/token', form)).toMatchObject(invalidGrant);
    expect(await refresh(app, issued.refresh_token)).toMatchObject(invalidGrant);
    expect((await listed(user.session)).map(({ name }) => name)).not.toContain('Cursor (2)');
  });
});

describe('POST /api/oauth/authorization', () => {
  it('an app gets a code only with the password, as a new token does', async () => {
    const user = await newUser();
    const request = requestOf(anApp(), challenge);
    expect(await allow(user, request, { proof: {} })).toMatchObject({ status: 403, body: { code: 'proof_required' } });
    expect(await allow(user, request, { proof: { current_password: 'a wrong one' } })).toMatchObject({ status: 403 });
    const { status, body } = await allow(user, request);
    const { searchParams } = new URL((body as { url: string }).url);
    expect({ status, names: [...searchParams.keys()] }).toEqual({ status: 201, names: ['code', 'state', 'iss'] });
  });

  it('an account with a second factor confirms with it', async () => {
    const account = await anAccount();
    const user = await signedIn(account);
    const { app: authenticator } = await turnOn(call, { ...account, token: user.session });
    await tokens.updateMany({ user: new ObjectId(account.id) }, { $unset: { proven_at: 1 } });
    const request = requestOf(anApp(), challenge);
    const { password: current_password } = account;
    expect(await allow(user, request)).toMatchObject({ status: 403, body: { code: 'proof_required' } });
    const proof = { current_password, second_factor: codeOf(authenticator, 1) };
    expect((await allow(user, request, { proof })).status).toBe(201);
  });

  it('an account with the most tokens allowed is refused before anything leads to the app', async () => {
    const user = await newUser();
    const reply = await withConfig({ TOKENS_PER_USER: '1', RATE_LIMITS: 'on' }, () => allow(user, requestOf(anApp(), challenge)));
    expect(reply).toMatchObject({ status: 409, body: { code: 'too_many_tokens' } });
  });

  it('a page of another site cannot allow an app with the cookie of its visitor', async () => {
    const { session } = await newUser();
    const cookie = `session=${session}`;
    const body = requestOf(anApp(), challenge);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const sent = { headers: { cookie, host: 'chat.example.org', ...headers }, body };
      expect((await call('POST', '/api/oauth/authorization', sent)).status).toBe(401);
    }
    const form = { headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' }, body: 'client_id=x' };
    expect((await call('POST', '/api/oauth/authorization', form)).status).toBe(415);
  });

  it('no page can show the question in a frame', async () => {
    const { status, headers } = await call('GET', `/authorize?${new URLSearchParams(requestOf(anApp(), challenge))}`);
    expect({ status, options: headers['x-frame-options'] }).toEqual({ status: 200, options: 'DENY' });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});

describe('POST /api/oauth/token', () => {
  it('an app gets a token like any other: with scopes, listed, and by its name', async () => {
    const user = await newUser();
    const { tokens: issued, app } = await aConnectedApp(user, anApp(), { scope: 'messages:write members:read' });
    expect(issued).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'members:read messages:write' });
    expect(await statusOf(issued.access_token)).toBe(200);
    expect((await call('GET', '/api/tokens', { token: issued.access_token })).status).toBe(403);
    const grant = (await listed(user.session)).find(({ name }) => name === 'Example app');
    expect(grant).toMatchObject({
      kind: 'api',
      is_agent: true,
      app: new URL(app.clientId).host,
      app_returns_to: 'app.example.com',
      scopes: ['members:read', 'messages:write'],
      hint: issued.access_token.slice(-4),
    });
    const days = (Date.parse(grant?.expires_at.$date ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
  });

  it('messages of an app show its name', async () => {
    const user = await newUser();
    const room = await aRoomOf([user.account], { name: aName() });
    const { tokens: issued } = await aConnectedApp(user);
    const sent = await call('POST', '/api/messages', { token: issued.access_token, body: { room, text: 'Hello' } });
    expect(sent).toMatchObject({ status: 201, body: { via: 'Example app' } });
  });

  it('an app cannot open a connection or get pushes, because these outlast its access token', async () => {
    const user = await newUser();
    const { tokens: issued } = await aConnectedApp(user);
    const refused = { status: 403, body: { code: 'app_refused' } };
    expect(await call('POST', '/api/tickets', { token: issued.access_token, body: {} })).toMatchObject(refused);
    const { key } = (await call('GET', '/api/push-subscription', { token: user.session })).body as { key: string };
    const device = aDevice();
    for (const [token, reply] of [
      [issued.access_token, refused],
      [user.account.token, { status: 200 }],
    ] as const)
      expect(await call('PUT', '/api/push-subscription', { token, body: subscriptionOf(device, key) })).toMatchObject(reply);
    expect((await call('POST', '/api/tickets', { token: user.account.token, body: {} })).status).toBe(201);
  });

  it('the second device of an app gets a number in its name', async () => {
    const [user, app] = [await newUser(), anApp()];
    await Promise.all([aConnectedApp(user, app), aConnectedApp(user, app)]);
    await aConnectedApp(user, app);
    const names = (await listed(user.session)).map(({ name }) => name);
    expect(names.sort()).toEqual(['Example app', 'Example app (2)', 'Example app (3)', 'test']);
  });

  it('a code that is used twice gets nothing, and ends the access of its first use', async () => {
    const { form, tokens: issued, app } = await aConnectedApp(await newUser());
    expect(await post('/api/oauth/token', form)).toMatchObject(invalidGrant);
    expect(await statusOf(issued.access_token)).toBe(401);
    expect(await refresh(app, issued.refresh_token)).toMatchObject(invalidGrant);
  });

  it('a code that is exchanged by several requests at the same time gives one token at most', async () => {
    const user = await newUser();
    for (let round = 0; round < 5; round++) {
      const { form } = await aCode(user);
      const replies = await Promise.all(Array.from({ length: 4 }, () => post('/api/oauth/token', form)));
      expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      for (const { body } of replies.filter(({ status }) => status === 200))
        expect(await statusOf((body as AppTokens).access_token)).toBe(401);
    }
    expect((await listed(user.session)).map(({ name }) => name)).toEqual(['test']);
  });

  it.each<[string, Record<string, string>, string]>([
    ['of another client', { client_id: 'https://other.example.com/client.json' }, 'invalid_grant'],
    ['with another verifier', { code_verifier: aVerifier().verifier }, 'invalid_grant'],
    ['with the challenge for a verifier', { code_verifier: challenge }, 'invalid_grant'],
    ['with another redirect URI', { redirect_uri: 'http://127.0.0.1:33418/callback' }, 'invalid_grant'],
    ['with another resource', { resource: 'https://other.example.org/' }, 'invalid_target'],
  ])('a code is refused to a request %s, and used up', async (_, changes, error) => {
    const { form } = await aCode(await newUser());
    expect(errorIn(await post('/api/oauth/token', { ...form, ...changes }))).toEqual({ status: 400, error });
    expect(await post('/api/oauth/token', form)).toMatchObject(invalidGrant);
  });

  it('a code of one resource does not give a token for another', async () => {
    const { form } = await aCode(await newUser(), anApp(), { resource: `${issuer}/api/mcp` });
    const reply = await post('/api/oauth/token', { ...form, resource: issuer });
    expect(errorIn(reply)).toEqual({ status: 400, error: 'invalid_target' });
  });

  it('a code expires after a minute', async () => {
    const { form } = await aCode(await newUser());
    await appCodes.updateMany({ client_id: form.client_id }, { $set: { valid_until: new Date(Date.now() - 1) } });
    expect(await post('/api/oauth/token', form)).toMatchObject(invalidGrant);
  });

  it('a code ends with the session that allowed it', async () => {
    const user = await newUser();
    const { form } = await aCode(user);
    expect((await call('DELETE', '/api/sessions/current', { token: user.session })).status).toBe(204);
    expect(await post('/api/oauth/token', form)).toMatchObject(invalidGrant);
  });

  it('a session that ends while its code is exchanged leaves no grant', async () => {
    const user = await newUser();
    const { form } = await aCode(user);
    const find = tokens.find.bind(tokens);
    vi.spyOn(tokens, 'find').mockImplementationOnce(((...parameters: Parameters<typeof find>) => {
      const cursor = find(...parameters);
      const toArray = async () => {
        expect((await call('DELETE', '/api/sessions/current', { token: user.session })).status).toBe(204);
        return cursor.toArray();
      };
      return { toArray };
    }) as never);
    expect(await post('/api/oauth/token', form)).toMatchObject(invalidGrant);
    expect(await tokens.countDocuments({ 'app.client_id': form.client_id })).toBe(0);
  });

  it('an account that has got too many tokens meanwhile gets none for the app', async () => {
    const user = await newUser();
    const { form } = await aCode(user);
    const reply = await withConfig({ TOKENS_PER_USER: '1', RATE_LIMITS: 'on' }, () => post('/api/oauth/token', form));
    expect(reply).toMatchObject(invalidGrant);
    expect((await listed(user.session)).length).toBe(1);
  });

  it.each<[string, Record<string, string> | [string, string][], string]>([
    ['without a grant type', {}, 'invalid_request'],
    ['with a password', { grant_type: 'password', client_id: 'x' }, 'unsupported_grant_type'],
    ['without a verifier', { grant_type: 'authorization_code', code: 'x', client_id: 'x', redirect_uri: 'x' }, 'invalid_request'],
    [
      'with a parameter twice',
      [
        ['grant_type', 'refresh_token'],
        ['grant_type', 'refresh_token'],
      ],
      'invalid_request',
    ],
    ['with an unknown refresh token', { grant_type: 'refresh_token', client_id: 'x', refresh_token: 'x' }, 'invalid_grant'],
  ])('a request %s is refused', async (_, form, error) => {
    expect(errorIn(await post('/api/oauth/token', form))).toEqual({ status: 400, error });
  });

  it('a form that is too long is refused', async () => {
    const long = { token: 'x'.repeat(70_000) };
    expect((await post('/api/oauth/token', long)).status).toBe(413);
    expect((await post('/api/oauth/revocation', long)).status).toBe(413);
  });
});

describe('refresh tokens', () => {
  it('a refresh replaces both tokens, keeps the grant, and prolongs it', async () => {
    const user = await newUser();
    const { app, tokens: first } = await aConnectedApp(user);
    const [before] = (await listed(user.session)).filter(({ app: host }) => host);
    await tokens.updateOne({ _id: idOf(before) }, { $set: { expires_at: new Date(Date.now() + 86_400_000) } });
    const { status, body } = await refresh(app, first.refresh_token, { scope: first.scope });
    const second = body as AppTokens;
    expect({ status, scope: second.scope }).toEqual({ status: 200, scope: first.scope });
    expect(await statusOf(first.access_token)).toBe(401);
    expect(await statusOf(second.access_token)).toBe(200);
    const [after] = (await listed(user.session)).filter(({ app: host }) => host);
    expect(after).toMatchObject({ _id: before?._id, hint: second.access_token.slice(-4) });
    expect(Date.parse(after?.expires_at.$date ?? '')).toBeGreaterThan(Date.now() + 29 * 86_400_000);
  });

  it('an access token ends after an hour, and its grant lasts', async () => {
    const { app, tokens: issued } = await aConnectedApp(await newUser());
    await tokens.updateOne({ 'app.client_id': app.clientId }, { $set: { access_expires_at: new Date(Date.now() - 1) } });
    expect(await statusOf(issued.access_token)).toBe(401);
    const { body } = await refresh(app, issued.refresh_token);
    expect(await statusOf((body as AppTokens).access_token)).toBe(200);
  });

  it('a refresh token that is used twice ends the whole grant', async () => {
    const { app, tokens: first } = await aConnectedApp(await newUser());
    const second = (await refresh(app, first.refresh_token)).body as AppTokens;
    expect(await refresh(app, first.refresh_token)).toMatchObject(invalidGrant);
    expect(await statusOf(second.access_token)).toBe(401);
    expect(await refresh(app, second.refresh_token)).toMatchObject(invalidGrant);
  });

  it('of two refreshes at the same time, at most one succeeds, and the grant ends', async () => {
    const user = await newUser();
    const { app, tokens: first } = await aConnectedApp(user);
    const replies = await Promise.all([1, 2, 3].map(() => refresh(app, first.refresh_token)));
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect((await listed(user.session)).map(({ name }) => name)).toEqual(['test']);
  });

  it('an invented refresh token does not end the grant of others', async () => {
    const { app, tokens: first } = await aConnectedApp(await newUser());
    const invented = [`${'a'.repeat(32)}${first.refresh_token.slice(32)}`, 'x', 'a'.repeat(64)];
    for (const token of invented) expect(await refresh(app, token)).toMatchObject(invalidGrant);
    expect((await refresh(app, first.refresh_token)).status).toBe(200);
  });

  it.each<[string, Record<string, string>, string]>([
    ['of another client', { client_id: 'https://other.example.com/client.json' }, 'invalid_grant'],
    ['for another resource', { resource: 'https://other.example.org/' }, 'invalid_target'],
    ['for more scopes', { scope: 'messages:read admin' }, 'invalid_scope'],
  ])('a refresh %s is refused, and the token stays valid', async (_, changes, error) => {
    const { app, tokens: issued } = await aConnectedApp(await newUser());
    expect(errorIn(await refresh(app, issued.refresh_token, changes))).toEqual({ status: 400, error });
    expect((await refresh(app, issued.refresh_token)).status).toBe(200);
  });

  it('the access ends with the account, with its revocation, and with the tokens of the account', async () => {
    const deactivated = await newUser();
    const first = await aConnectedApp(deactivated);
    await withoutAccount(deactivated.account.id);
    expect(await statusOf(first.tokens.access_token)).toBe(401);
    expect(await refresh(first.app, first.tokens.refresh_token)).toMatchObject(invalidGrant);
    expect((await tokens.find({ user: new ObjectId(deactivated.account.id) }).toArray()).map(({ name }) => name)).toEqual([
      'test',
    ]);

    const revoking = await newUser();
    const second = await aConnectedApp(revoking);
    const [grant] = (await listed(revoking.session)).filter(({ app }) => app);
    await call('DELETE', `/api/tokens/${idOf(grant).toHexString()}`, { token: revoking.session });
    expect(await statusOf(second.tokens.access_token)).toBe(401);
    expect(await refresh(second.app, second.tokens.refresh_token)).toMatchObject(invalidGrant);
  });
});

describe('POST /api/oauth/revocation', () => {
  it.each(['access_token', 'refresh_token'] as const)('an app ends its access with its %s', async (name) => {
    const { app, tokens: issued } = await aConnectedApp(await newUser());
    expect(await post('/api/oauth/revocation', { token: issued[name], client_id: app.clientId })).toMatchObject({
      status: 200,
      body: {},
    });
    expect(await statusOf(issued.access_token)).toBe(401);
    expect(await refresh(app, issued.refresh_token)).toMatchObject(invalidGrant);
  });

  it('an app cannot revoke the access of another app or a named token', async () => {
    const user = await newUser();
    const { tokens: issued } = await aConnectedApp(user);
    const other = anApp();
    for (const token of [issued.access_token, issued.refresh_token, user.account.token, 'unknown'])
      expect((await post('/api/oauth/revocation', { token, client_id: other.clientId })).status).toBe(200);
    expect(await statusOf(issued.access_token)).toBe(200);
    expect(await statusOf(user.account.token)).toBe(200);
  });

  it('a request without a token is refused', async () => {
    expect(errorIn(await post('/api/oauth/revocation', { client_id: 'x' }))).toEqual({ status: 400, error: 'invalid_request' });
  });
});

async function aRegisteredApp(): Promise<TestApp> {
  const redirectUri = 'cursor://anysphere.cursor-mcp/oauth/callback';
  const { clientId } = await registerApp({ name: 'Cursor', redirectUris: [redirectUri] });
  return { ...anApp(), clientId, redirectUri };
}

const idOf = (token: ListedToken | undefined) => new ObjectId(token?._id.$oid);

async function withoutAccount(id: string): Promise<void> {
  const { token } = await anAccount({ isAdmin: true });
  expect((await call('PATCH', `/api/users/${id}`, { token, body: { is_active: false } })).status).toBe(200);
}
