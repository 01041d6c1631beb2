import { limits } from '../api/limits.ts';
import { aCount, aText, aWord, described, record, type Shown } from '../api/schema.ts';
import { payloadTooLarge, type Refusal } from '../base/errors.ts';
import { codeInvalid, exchangeCode } from './codes.ts';
import { oauthError, oauthOff, requireIssuer, targetInvalid } from './errors.ts';
import { refreshGrant, refreshInvalid, revokeGrant } from './grants.ts';

export const tokenForm = {
  grant_type: '`authorization_code` or `refresh_token`.',
  client_id: 'The client id of the app.',
  code: { optional: 'The authorization code; required to exchange one, like the next two.' },
  redirect_uri: { optional: 'The redirect URI of the authorization request.' },
  code_verifier: { optional: 'The code verifier (PKCE).' },
  refresh_token: { optional: 'The refresh token; required to use one.' },
  scope: { optional: 'Scopes that the user allowed. The new token has all of them.' },
  resource: { optional: 'The resource of the authorization request.' },
};

export const revocationForm = { token: 'An access token or a refresh token.', client_id: 'The client id of the app.' };

/** The tokens of an app. */
export const issuedSchema = record('IssuedTokens', {
  access_token: described('The access token, for `Authorization: Bearer`.', aText),
  token_type: described('Always `Bearer`.', aWord('Bearer')),
  expires_in: described('The seconds until the access token expires.', aCount),
  refresh_token: described('The refresh token, which can be used once.', aText),
  scope: described('The granted scopes, separated by spaces.', aText),
});

/** An empty object: the token is revoked, or never was one. */
export const revokedSchema = record('RevokedToken', {});

const requestInvalid: Refusal = () => oauthError('invalid_request', 'The client_id parameter is required once.');
const grantTypeUnsupported: Refusal = () =>
  oauthError('unsupported_grant_type', 'The grant type must be authorization_code or refresh_token.');
const scopeInvalid: Refusal = () => oauthError('invalid_scope', 'The scope exceeds the one that the user allowed.');
const formTooLarge: Refusal = () => payloadTooLarge(limits.jsonBody);

export const tokenRefusals = [
  oauthOff,
  requestInvalid,
  grantTypeUnsupported,
  codeInvalid,
  refreshInvalid,
  targetInvalid,
  scopeInvalid,
  formTooLarge,
];
export const revocationRefusals = [oauthOff, requestInvalid, formTooLarge];

/** Answers a request of the token endpoint (RFC 6749, 3.2). */
export async function issueTokens(form: Uint8Array): Promise<Shown<typeof issuedSchema>> {
  requireIssuer();
  const { required, optional } = readForm(form);
  const type = required('grant_type');
  if (type === 'authorization_code')
    return exchangeCode({
      code: required('code'),
      client_id: required('client_id'),
      redirect_uri: required('redirect_uri'),
      code_verifier: required('code_verifier'),
      resource: optional('resource'),
    });
  if (type !== 'refresh_token') throw grantTypeUnsupported();
  return refreshGrant({
    refresh_token: required('refresh_token'),
    client_id: required('client_id'),
    scope: optional('scope'),
    resource: optional('resource'),
  });
}

/** Answers a request of the revocation endpoint (RFC 7009). */
export async function revokeByForm(form: Uint8Array): Promise<Shown<typeof revokedSchema>> {
  requireIssuer();
  const { required } = readForm(form);
  await revokeGrant(required('token'), required('client_id'));
  return {};
}

/** Reads a form. A repeated parameter is refused: two readers might take different ones. */
function readForm(bytes: Uint8Array) {
  if (bytes.length > limits.jsonBody) throw formTooLarge();
  const form = new URLSearchParams(Buffer.from(bytes).toString());
  const optional = (name: string): string | undefined => {
    const [first, second] = form.getAll(name);
    if (second !== undefined) throw oauthError('invalid_request', `The ${name} parameter must be sent once.`);
    return first === '' ? undefined : first;
  };
  const required = (name: string): string => {
    const value = optional(name);
    if (value === undefined) throw oauthError('invalid_request', `The ${name} parameter is required.`);
    return value;
  };
  return { required, optional };
}
