import type { ObjectId } from 'mongodb';
import type { CodeClaim } from '../accounts/claims.ts';
import type { Parameter } from '../api/parameters.ts';
import { permissionDenied, type Refusal } from '../base/errors.ts';
import { type OidcRequestDocument, oidcRequests } from '../collections/accounts/oidc-requests.ts';
import { unexpiredWithin } from '../collections/accounts/tokens.ts';
import { insertWithTimes } from '../database/writes.ts';
import { hashToken } from '../identity/authenticate.ts';
import { randomToken } from '../identity/tokens.ts';

const idPattern = '^[a-z0-9][a-z0-9-]{0,31}$';
const isId = new RegExp(idPattern);

/** The id of a provider. */
export const providerId: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && isId.test(sent) ? sent : undefined),
  rule: 'be the id of an identity provider',
  schema: { type: 'string', pattern: idPattern },
};

export const signInExpired: Refusal = () =>
  permissionDenied('sign_in_expired', 'This sign-in has expired, or was started in another browser. Start again.');

/** The data of a sign-in that are known when it starts. */
type Begun = {
  issuer: string;
  path: string;
  invitation: string | undefined;
  account: { user: ObjectId; generation: number } | undefined;
  claim: CodeClaim | undefined;
};

/**
 * Stores a new sign-in. Returns the values for the provider and the secret for the browser's
 * cookie.
 */
export async function beginRequest({ issuer, path, invitation, account, claim }: Begun) {
  const [state, secret, nonce] = [randomToken(), randomToken(), randomToken()];
  // At least 43 characters (RFC 7636, 4.1).
  const verifier = randomToken() + randomToken();
  const document = {
    _id: hashToken(state),
    browser: hashToken(secret),
    issuer,
    nonce,
    verifier,
    path,
    ...(invitation !== undefined && { invitation }),
    ...(account && { account }),
    ...(claim && { claim }),
  };
  await insertWithTimes(oidcRequests, document, { expires_at: { $add: ['$$NOW', validFor] } });
  return { state, secret, nonce, verifier };
}

/**
 * Consumes a sign-in that the same browser has started; otherwise throws 403. Of several concurrent
 * requests, one succeeds.
 */
export async function takeRequest(state: string, secret: string | undefined): Promise<OidcRequestDocument> {
  if (secret === undefined) throw signInExpired();
  const taken = await oidcRequests.findOneAndDelete({
    _id: hashToken(state),
    browser: hashToken(secret),
    ...unexpiredWithin(validFor),
  });
  if (!taken) throw signInExpired();
  return taken;
}

/** The time that users have at the provider, in seconds. */
export const secondsToSignIn = 600;
const validFor = secondsToSignIn * 1_000;
