import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { registerApp } from '../../lib/oauth/apps.ts';
import { anAccount } from '../support/accounts.ts';
import { anAgent } from '../support/mcp.ts';
import { allow, anApp, fetchBy, issuer, type SignedInUser, signedIn, useOAuth } from '../support/oauth.ts';
import { inProcess as call } from '../support/transports.ts';

/* Clients that are not ours. */

useOAuth();

const fetch = fetchBy(call);

/** Allows the request of an authorization URL, as the page does. Returns the answer's address. */
async function allowAt(user: SignedInUser, { origin, pathname, searchParams }: URL): Promise<URL> {
  expect(`${origin}${pathname}`).toBe(`${issuer}/authorize`);
  const { status, body } = await allow(user, Object.fromEntries(searchParams));
  expect({ status, body }).toMatchObject({ status: 201 });
  return new URL((body as { url: string }).url);
}

describe('openid-client', () => {
  const discover = (clientId: string) =>
    openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
      algorithm: 'oauth2',
      [openid.customFetch]: fetch as openid.CustomFetch,
    });

  it('openid-client signs in, refreshes and revokes', async () => {
    const user = await signedIn(await anAccount());
    const app = anApp();
    const config = await discover(app.clientId);
    const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
    const resource = `${issuer}/api/mcp`;
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: app.redirectUri,
      scope: 'messages:read members:read',
      state,
      resource,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const back = await allowAt(user, url);
    const issued = await openid.authorizationCodeGrant(
      config,
      back,
      { pkceCodeVerifier: verifier, expectedState: state },
      { resource },
    );
    expect(issued).toMatchObject({ scope: 'members:read messages:read', expires_in: 3_600 });
    const renewed = await openid.refreshTokenGrant(config, issued.refresh_token ?? '', { resource });
    expect((await call('GET', '/api/users/me', { token: renewed.access_token })).status).toBe(200);
    await openid.tokenRevocation(config, renewed.access_token);
    expect((await call('GET', '/api/users/me', { token: renewed.access_token })).status).toBe(401);
  });

  it('a client notices a response of another server (mix-up)', async () => {
    const user = await signedIn(await anAccount());
    const app = anApp();
    const config = await discover(app.clientId);
    const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: app.redirectUri,
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const back = await allowAt(user, url);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    for (const iss of ['https://evil.example', undefined]) {
      const forged = new URL(back);
      if (iss === undefined) forged.searchParams.delete('iss');
      else forged.searchParams.set('iss', iss);
      await expect(openid.authorizationCodeGrant(config, forged, checks)).rejects.toMatchObject({
        code: 'OAUTH_INVALID_RESPONSE',
      });
    }
    expect((await openid.authorizationCodeGrant(config, back, checks)).access_token).toMatch(/^[a-z0-9]{32}$/);
  });
});

/** A client of MCP, and its state. */
function aProvider(clientId: string | undefined, redirectUrl: string) {
  const kept: { url?: URL; verifier?: string; tokens?: Awaited<ReturnType<OAuthClientProvider['tokens']>> } = {};
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadataUrl: 'https://app.example.com/client.json',
    clientMetadata: { redirect_uris: [redirectUrl], client_name: 'Example' },
    state: () => 'the state of the client',
    clientInformation: () => (clientId === undefined ? undefined : { client_id: clientId }),
    saveClientInformation: () => {},
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (url) => void Object.assign(kept, { url }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? '',
  };
  return { kept, provider };
}

describe('@modelcontextprotocol/client', () => {
  const serverUrl = `${issuer}/api/mcp`;
  const redirectUrl = 'http://127.0.0.1:33418/callback';

  it('the client of MCP finds the server, signs in, calls tools and refreshes', async () => {
    const user = await signedIn(await anAccount());
    const { clientId } = await registerApp({ name: 'Example', redirectUris: [redirectUrl] });
    const { provider, kept } = aProvider(clientId, redirectUrl);
    expect(await auth(provider, { serverUrl, fetchFn: fetch })).toBe('REDIRECT');
    expect(kept.url?.searchParams.get('resource')).toBe(serverUrl);
    const back = (await allowAt(user, kept.url as URL)).searchParams;
    const [authorizationCode, iss] = [back.get('code') ?? '', back.get('iss') ?? ''];
    expect(await auth(provider, { serverUrl, fetchFn: fetch, authorizationCode, iss })).toBe('AUTHORIZED');
    const { access_token: first = '' } = kept.tokens ?? {};
    const agent = await anAgent(first);
    expect((await agent.client.listTools()).tools.length).toBeGreaterThan(10);
    expect(await auth(provider, { serverUrl, fetchFn: fetch })).toBe('AUTHORIZED');
    expect(kept.tokens?.access_token).not.toBe(first);
    expect((await call('GET', '/api/users/me', { token: kept.tokens?.access_token })).status).toBe(200);
  });

  it('the client of MCP chooses its metadata document without being registered', async () => {
    const { provider, kept } = aProvider(undefined, redirectUrl);
    expect(await auth(provider, { serverUrl, fetchFn: fetch })).toBe('REDIRECT');
    expect(kept.url?.searchParams.get('client_id')).toBe(provider.clientMetadataUrl);
  });
});
