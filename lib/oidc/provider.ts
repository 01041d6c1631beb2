import {
  createRemoteJWKSet,
  decodeJwt,
  customFetch as fetchOfKeys,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import * as client from 'openid-client';
import { HttpError, permissionDenied, type Refusal, serviceUnavailable } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { waitOutside } from '../base/outside.ts';
import { config } from '../settings/config.ts';
import { defaultProvider, type IdentityProvider } from '../settings/identity-providers.ts';
import { oidcSecrets } from '../settings/oidc-secret.ts';

/*
 * The service's one way to its identity providers (OpenID Connect). They are the operator's settings, so they may be
 * within the network of the service; what they send is bounded in time and size. Each is known by itself: one that is
 * out of reach, or lies, is no business of the others.
 */

/** How many bytes of a provider's answer are read. */
const mostBytes = 1_048_576;

/** For how many milliseconds what a provider says of itself is taken to hold. */
const knownFor = 3_600_000;

/** By how many seconds the clocks of the provider and of this machine may differ. */
const clockTolerance = 60;

export const noProvider: Refusal = () =>
  permissionDenied('no_identity_provider', 'People can’t sign in by an identity provider here.');
export const signInRefused: Refusal = () =>
  permissionDenied('sign_in_refused', 'The identity provider did not confirm this sign-in. Start again.');
const providerUnavailable = () => serviceUnavailable('The identity provider did not answer in time.');

/** What the provider says of a person. */
export type Claims = { iss: string; sub: string; [name: string]: unknown };

/**
 * Where a provider leads people back to: a view of the web client, which completes the sign-in. Each has an address of
 * its own, so that what comes from one is never taken to another (RFC 9700, 4.4.2).
 */
const redirectUri = ({ id }: IdentityProvider) => `${config.publicUrl}/oidc${id === defaultProvider ? '' : `/${id}`}`;

type Provider = { configuration: client.Configuration; keys: ReturnType<typeof createRemoteJWKSet> };

/** What is known of each provider, by its issuer. */
const known = new Map<string, { since: number; provider: Promise<Provider> }>();

/** Refuses, with 403, what needs an identity provider where the service has none. */
export function requireProvider(): void {
  if (config.identityProviders.length === 0) throw noProvider();
}

/** The address at which a provider asks a person to sign in. */
export const signInAddress = (
  provider: IdentityProvider,
  checks: { state: string; nonce: string; verifier: string },
): Promise<URL> =>
  withProvider(provider, async ({ configuration }) =>
    client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri(provider),
      scope: provider.scopes,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    }),
  );

/** What the provider led a browser back with, and what only this sign-in can know. */
type Answer = { code: string; state: string; iss: string | undefined; nonce: string; verifier: string };

/** Exchanges the code of a sign-in for what the provider says of the person; 403 if anything in it is not as it must be. */
export const readPerson = (provider: IdentityProvider, { code, state, iss, nonce, verifier }: Answer): Promise<Claims> =>
  withProvider(provider, async ({ configuration, keys }) => {
    const address = new URL(redirectUri(provider));
    address.search = new URLSearchParams({ code, state, ...(iss !== undefined && { iss }) }).toString();
    const tokens = await client.authorizationCodeGrant(configuration, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    // TLS vouches for it already; the signature does so as well, whatever stands between.
    const { payload } = await jwtVerify(tokens.id_token ?? '', keys, rulesFor(provider));
    const { iss: issuer = '', sub = '' } = payload;
    const isComplete = configuration.serverMetadata().userinfo_endpoint === undefined;
    const more = isComplete ? {} : await client.fetchUserInfo(configuration, tokens.access_token, sub);
    return { ...more, ...payload, iss: issuer, sub };
  });

/**
 * The claims of a token that one of the providers has signed for this service; 403 if it is not one. What it says of its
 * issuer chooses the keys by which it is verified, and so is true of a token that passes.
 */
export async function readSigned(token: string, rules: JWTVerifyOptions): Promise<JWTPayload> {
  const issuer = issuerIn(token);
  const provider = config.identityProviders.find((one) => one.issuer === issuer);
  if (!provider) throw signInRefused();
  return withProvider(provider, async ({ keys }) => {
    const { payload } = await jwtVerify(token, keys, { ...rulesFor(provider), ...rules });
    return payload;
  });
}

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

const rulesFor = ({ issuer, clientId }: IdentityProvider) => ({
  issuer,
  audience: clientId,
  clockTolerance,
  algorithms: ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`)).concat('EdDSA', 'Ed25519'),
});

/** Does something with a provider: 503 if it does not answer, and 403 for what it refuses or says wrongly. */
async function withProvider<T>(provider: IdentityProvider, work: (found: Provider) => Promise<T>): Promise<T> {
  try {
    return await waitOutside('identity provider', async () => work(await findProvider(provider)));
  } catch (error) {
    const isSilent = isOutOfReach(error);
    const details = { provider: provider.id, reason: reasonsOf(error).join(': ').slice(0, 500) };
    // Anyone can send what the provider does not confirm: that is no error of the service.
    if (isSilent) log('error', 'the identity provider is out of reach', details);
    else log('info', 'the identity provider did not confirm a sign-in', details);
    throw isSilent ? providerUnavailable() : signInRefused();
  }
}

function findProvider(settings: IdentityProvider): Promise<Provider> {
  const now = performance.now();
  const before = known.get(settings.issuer);
  if (before && now - before.since < knownFor) return before.provider;
  const provider = discover(settings);
  known.set(settings.issuer, { since: now, provider });
  // The next one asks again.
  provider.catch(() => {
    if (known.get(settings.issuer)?.provider === provider) known.delete(settings.issuer);
  });
  return provider;
}

async function discover({ id, issuer, clientId }: IdentityProvider): Promise<Provider> {
  const isPlain = issuer.startsWith('http:');
  const configuration = await client.discovery(
    new URL(issuer),
    clientId,
    { [client.clockTolerance]: clockTolerance },
    authenticationBy(oidcSecrets().get(id) ?? ''),
    { [client.customFetch]: fetchBounded, ...(isPlain && { execute: [client.allowInsecureRequests] }) },
  );
  const { issuer: own, jwks_uri: address } = configuration.serverMetadata();
  // As with and without a slash at the end: its tokens name what it calls itself.
  if (own !== issuer) throw new Error(`The provider calls itself ${own}: set its issuer to that, to the letter.`);
  if (address === undefined) throw new Error('The identity provider has no jwks_uri.');
  // An unknown key has the keys fetched again, once a second at most: the provider may change them at any time.
  const options = { cooldownDuration: 1_000, timeoutDuration: config.patienceMs.identityProvider, [fetchOfKeys]: fetchBounded };
  return { configuration, keys: createRemoteJWKSet(new URL(address), options) };
}

/** Proves to a provider that it is this service that asks, in the way that it takes; HTTP Basic unless it says otherwise. */
const authenticationBy =
  (secret: string): client.ClientAuth =>
  (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const prove =
      secret === ''
        ? client.None()
        : methods.includes('client_secret_basic')
          ? client.ClientSecretBasic(secret)
          : client.ClientSecretPost(secret);
    return prove(server, metadata, body, headers);
  };

/** Sends a request that ends in time; an answer that is too long, or that the provider's own failure, is none. */
async function fetchBounded(address: string, options: object): Promise<Response> {
  try {
    const answer = await fetch(address, {
      ...options,
      redirect: 'manual',
      signal: AbortSignal.timeout(config.patienceMs.identityProvider),
    });
    if (answer.status >= 500) throw new Error(`It answered with ${answer.status}.`);
    const { status, headers } = answer;
    return new Response(await readBounded(answer), { status, headers });
  } catch (error) {
    throw Object.assign(providerUnavailable(), { cause: error });
  }
}

async function readBounded({ status, body }: Response): Promise<Buffer<ArrayBuffer> | null> {
  if (body === null || status === 204 || status === 304) return null;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > mostBytes) throw new Error(`Its answer has more than ${mostBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Why something failed, from the outside to the cause; of a refusal also the code that the provider gave. */
function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { error: said } = error as { error?: unknown };
  return [error.message, ...(typeof said === 'string' ? [said] : []), ...reasonsOf(error.cause)].filter(Boolean);
}

// The libraries wrap what the requests throw.
const isOutOfReach = (error: unknown): boolean =>
  error instanceof HttpError || (error instanceof Error && error.cause !== undefined && isOutOfReach(error.cause));
