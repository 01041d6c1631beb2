import { firstCharacters } from 'chat-service-rules/shortened';
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
import { isOutsideBusy, waitOutside } from '../base/outside.ts';
import { readAtMost } from '../base/read-at-most.ts';
import { config } from '../settings/config.ts';
import { defaultProvider, type IdentityProvider } from '../settings/identity-providers.ts';
import { oidcSecrets } from '../settings/oidc-secret.ts';

/*
 * All requests to identity providers (OpenID Connect). The operator configures the providers, so
 * they may be on the service's internal network. Their responses are bounded in time and size. Each
 * provider is separate: one that is out of reach or lies does not affect the others.
 */

/** The most bytes of a provider's response that are read. */
const mostBytes = 1_048_576;

/** How long a provider's metadata is cached. */
const knownForMs = 3_600_000;

/** The largest difference between the clocks of the provider and this machine, in seconds. */
const clockTolerance = 60;

export const noProvider: Refusal = () =>
  permissionDenied('no_identity_provider', 'Sign-in with an identity provider is not available here.');
export const signInRefused: Refusal = () =>
  permissionDenied('sign_in_refused', 'The identity provider did not confirm this sign-in. Start again.');
const providerUnavailable = () => serviceUnavailable('The identity provider did not answer in time.');

/** The claims of a provider about a person. */
export type Claims = { iss: string; sub: string; [name: string]: unknown };

/**
 * The address that a provider returns browsers to: a view of the web client that completes the
 * sign-in. Each provider has its own, so that a response of one is never sent to another (RFC 9700,
 * 4.4.2).
 */
const redirectUri = ({ id }: IdentityProvider) => `${config.publicUrl}/oidc${id === defaultProvider ? '' : `/${id}`}`;

type Provider = { configuration: client.Configuration; keys: ReturnType<typeof createRemoteJWKSet> };

/** The metadata of each provider, by its issuer. */
const cachedProviders = new Map<string, { since: number; provider: Promise<Provider> }>();

/** Throws 403 if no identity provider is configured. */
export function requireProvider(): void {
  if (config.identityProviders.length === 0) throw noProvider();
}

/** The provider's address where a person signs in. */
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

/** The parameters from the provider's redirect, and the secrets of this sign-in. */
type Answer = { code: string; state: string; iss: string | undefined; nonce: string; verifier: string };

/**
 * Exchanges the code of a sign-in for the provider's claims about the person. Throws 403 if
 * anything is invalid.
 */
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
    // TLS authenticates it already. The signature also does if a proxy is in between.
    const { payload } = await jwtVerify(tokens.id_token ?? '', keys, rulesFor(provider));
    const { iss: issuer = '', sub = '' } = payload;
    const isComplete = configuration.serverMetadata().userinfo_endpoint === undefined;
    const more = isComplete ? {} : await client.fetchUserInfo(configuration, tokens.access_token, sub);
    return { ...more, ...payload, iss: issuer, sub };
  });

/**
 * The claims of a token that one of the providers has signed for this service; otherwise throws
 * 403. The issuer that the token states selects the keys, so it is proven when the signature is
 * valid.
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

/**
 * Calls a provider. Throws 503 if it does not respond, and 403 if it refuses or its response is
 * invalid.
 */
async function withProvider<T>(provider: IdentityProvider, work: (found: Provider) => Promise<T>): Promise<T> {
  try {
    return await waitOutside('identity provider', async () => work(await findProvider(provider)));
  } catch (error) {
    // The service is overloaded and did not contact the provider.
    if (isOutsideBusy(error)) throw error;
    const isSilent = isOutOfReach(error);
    const details = { provider: provider.id, reason: firstCharacters(reasonsOf(error).join(': '), 500) };
    // Anyone can send a sign-in that the provider does not confirm, so it is not logged as an
    // error.
    if (isSilent) log('error', 'the identity provider is out of reach', details);
    else log('info', 'the identity provider did not confirm a sign-in', details);
    throw isSilent ? providerUnavailable() : signInRefused();
  }
}

function findProvider(settings: IdentityProvider): Promise<Provider> {
  const now = performance.now();
  const before = cachedProviders.get(settings.issuer);
  if (before && now - before.since < knownForMs) return before.provider;
  const provider = discover(settings);
  cachedProviders.set(settings.issuer, { since: now, provider });
  // The next call requests it again.
  provider.catch(() => {
    if (cachedProviders.get(settings.issuer)?.provider === provider) cachedProviders.delete(settings.issuer);
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
  // Compared exactly, e.g. with a final slash: its tokens contain the issuer as the provider states
  // it.
  if (own !== issuer) throw new Error(`The provider calls itself ${own}: set its issuer to that, to the letter.`);
  if (address === undefined) throw new Error('The identity provider lacks jwks_uri.');
  // An unknown key causes a new request for the keys, at most once a second. A provider may change
  // its keys at any time.
  const options = { cooldownDuration: 1_000, timeoutDuration: config.patienceMs.identityProvider, [fetchOfKeys]: fetchBounded };
  return { configuration, keys: createRemoteJWKSet(new URL(address), options) };
}

/**
 * Authenticates the service to a provider with a method that the provider supports; HTTP Basic by
 * default.
 */
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

/**
 * Sends a request with a timeout. A response that is too long, or a server error, counts as no
 * response.
 */
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
  const stream = body as unknown as AsyncIterable<Uint8Array>;
  return readAtMost(stream, mostBytes, () => new Error(`Its answer has more than ${mostBytes} bytes.`));
}

/**
 * The reasons of an error, from the outermost to the cause. A refusal also has the provider's error
 * code.
 */
function reasonsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { error: said } = error as { error?: unknown };
  return [error.message, ...(typeof said === 'string' ? [said] : []), ...reasonsOf(error.cause)].filter(Boolean);
}

// The libraries wrap the errors of requests.
const isOutOfReach = (error: unknown): boolean =>
  error instanceof HttpError || (error instanceof Error && error.cause !== undefined && isOutOfReach(error.cause));
