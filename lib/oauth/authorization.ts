import { ObjectId } from 'mongodb';
import { requireSpareToken, tooManyTokens } from '../accounts/new-tokens.ts';
import { about, optional, type Parameter, type Values } from '../api/parameters.ts';
import { aText, aTrue, aWord, described, listOf, record, type Shown } from '../api/schema.ts';
import { type HttpError, invalidParameter, permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import type { Caller } from '../identity/caller.ts';
import { failClosed, keyOf, minute, takeSlot } from '../identity/slots.ts';
import { ownProof, ownProofRefusals, requireOwnProof } from '../second-factor/proof.ts';
import { config } from '../settings/config.ts';
import { appUnknown, findApp } from './apps.ts';
import { createCode } from './codes.ts';
import { appScopes, isOwnResource } from './discovery.ts';
import { oauthError, oauthOff, requireIssuer, targetInvalid } from './errors.ts';
import { type App, appDocumentInvalid } from './metadata-documents.ts';
import { isAmong, isOnDevice, receiverOf, returnAddress } from './redirect-uris.ts';

const line = (most: number): Parameter<string> => ({
  read: (sent) => (typeof sent === 'string' && sent.length <= most && /^[\x20-\x7e]*$/.test(sent) ? sent : undefined),
  rule: `be a text of at most ${most} ASCII characters`,
  schema: { type: 'string', maxLength: most, pattern: '^[\\x20-\\x7e]*$' },
});

/** The parameters of an authorization request (RFC 6749, 7636 and 8707). */
export const requestParameters = {
  client_id: about('The client id of the app: registered, or the address of its client metadata document.', line(500)),
  redirect_uri: about('The address that leads back to the app; exactly one of its redirect URIs.', line(2_000)),
  response_type: about('Always `code`.', optional(line(50))),
  code_challenge: about('The SHA-256 of the code verifier (PKCE), in base64url.', optional(line(128))),
  code_challenge_method: about('Always `S256`.', optional(line(20))),
  scope: about('The scopes, separated by spaces; without it, all that apps may have.', optional(line(500))),
  state: about('A value that the response repeats.', optional(line(1_000))),
  resource: about('The address of this service, or of its `/api/mcp`.', optional(line(500))),
};
type AuthorizationRequest = Values<typeof requestParameters>;

/** The question that the page shows to a user. */
export const requestSchema = record(
  'AppRequest',
  {
    name: described('The name of the app, in its own words.', aText),
    host: described('The host that vouches for the app; absent for an app that an administrator registered.', aText),
    returns_to: described('The host that gets the answer, or the scheme of an app.', aText),
    is_on_device: described('Present, and true, if the answer leads to a program on the device of the user.', aTrue),
    scopes: described('The scopes that the app would get.', listOf(aWord(...appScopes))),
    refusal: described('The address that takes the answer of a user who refuses back to the app.', aText),
    error: described('Present if the request cannot be allowed; `refusal` then takes this error to the app.', aText),
  },
  ['host', 'is_on_device', 'error'],
);

/** Where the answer of the user leads. */
export const answerSchema = record('AppAnswer', { url: described('The address to open, with the code for the app.', aText) });

const sessionRequired: Refusal = () => permissionDenied('session_required', 'Only somebody who is signed in can allow an app.');
const redirectUnknown: Refusal = () => invalidParameter('redirect_uri', 'be one of the redirect URIs of the app');
const requestInvalid: Refusal = () => oauthError('invalid_request', 'PKCE with S256 is required.');
const responseTypeUnsupported: Refusal = () =>
  oauthError('unsupported_response_type', 'Only the response type code is supported.');
const scopeInvalid: Refusal = () => oauthError('invalid_scope', 'The app asks for no scope that apps may have.');

export const requestRefusals = [oauthOff, sessionRequired, appUnknown, appDocumentInvalid, redirectUnknown, tooManyRequests];
export const answerRefusals = [
  ...requestRefusals,
  requestInvalid,
  responseTypeUnsupported,
  targetInvalid,
  scopeInvalid,
  tooManyTokens,
  ...ownProofRefusals,
];

/** The most requests that an account opens in an hour. Each may fetch a document. */
const mostPerHour = 60;

/**
 * Describes a request to its user. Nothing leads back to the app before the app and its redirect
 * URI are known, and nothing leads there without a click: otherwise the service would be an open
 * redirector.
 */
export async function describeRequest(request: AuthorizationRequest, caller: Caller): Promise<Shown<typeof requestSchema>> {
  const issuer = requireIssuer();
  const app = await readRequest(request, caller);
  const { redirect_uri, state } = request;
  const fault = faultOf(request, issuer)?.body;
  const { error = 'access_denied', error_description } = fault ?? {};
  return {
    name: app.name,
    ...(app.host !== null && { host: app.host }),
    returns_to: receiverOf(redirect_uri),
    ...(isOnDevice(redirect_uri) && { is_on_device: true as const }),
    scopes: scopesOf(request),
    refusal: returnAddress(redirect_uri, { error, error_description, state, iss: issuer }),
    ...(fault && { error: fault.description }),
  };
}

export const answerParameters = { ...requestParameters, ...ownProof };

/**
 * Allows an app to use the account of the caller: creates a code, and returns the address that
 * takes it to the app. Access outlasts the session, so it asks for the same proof of identity as a
 * new token.
 */
export async function allowApp(
  { current_password, second_factor, ...request }: Values<typeof answerParameters>,
  caller: Caller,
): Promise<Shown<typeof answerSchema>> {
  const issuer = requireIssuer();
  const app = await readRequest(request, caller);
  const fault = faultOf(request, issuer);
  if (fault) throw fault;
  await requireOwnProof({ current_password, second_factor }, caller);
  await requireSpareToken(caller.user._id);
  const { redirect_uri, code_challenge: challenge = '', state, resource = null } = request;
  const code = await createCode({
    user: caller.user._id,
    session: caller.token._id,
    client_id: app.clientId,
    name: app.name,
    host: app.host,
    redirect_uri,
    challenge,
    scopes: scopesOf(request),
    resource,
  });
  return { url: returnAddress(redirect_uri, { code, state, iss: issuer }) };
}

async function readRequest({ client_id, redirect_uri }: AuthorizationRequest, caller: Caller): Promise<App> {
  if (caller.token.kind !== 'session') throw sessionRequired();
  await countRequest(caller.user._id);
  const app = await findApp(client_id, caller.user._id.toHexString());
  if (!isAmong(redirect_uri, app.redirectUris)) throw redirectUnknown();
  return app;
}

async function countRequest(user: ObjectId): Promise<void> {
  if (!config.limits.areOn) return;
  const limit = { most: mostPerHour, window: 60 * minute, isSettled: true as const };
  await failClosed(() => takeSlot(keyOf('apps of', user.toHexString()), new ObjectId(), limit));
}

/** The reason why a request cannot be allowed. */
function faultOf(request: AuthorizationRequest, issuer: string): HttpError | undefined {
  const { response_type, code_challenge = '', code_challenge_method, resource } = request;
  if (response_type === undefined) return oauthError('invalid_request', 'The response_type parameter is required.');
  if (response_type !== 'code') return responseTypeUnsupported();
  if (code_challenge_method !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(code_challenge)) return requestInvalid();
  if (resource !== undefined && !isOwnResource(resource, issuer)) return targetInvalid();
  return scopesOf(request).length === 0 ? scopeInvalid() : undefined;
}

/**
 * The scopes of a request. Others, such as `offline_access`, are left out. The response of the
 * token endpoint lists the granted ones.
 */
function scopesOf({ scope }: AuthorizationRequest) {
  const wanted = scope?.split(' ').filter((word) => word !== '') ?? [];
  return wanted.length === 0 ? [...appScopes] : appScopes.filter((one) => wanted.includes(one));
}
