import { HttpError, type Refusal } from '../base/errors.ts';
import { config } from '../settings/config.ts';

/** The errors of RFC 6749 (4.1.2.1 and 5.2) and RFC 8707 that this server gives. */
type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied';

/** A 400 that both a client of OAuth and a client of this API understand. */
export const oauthError = (error: OAuthError, description: string): HttpError =>
  new HttpError(400, {
    title: 'Invalid parameter',
    description,
    code: error,
    error,
    error_description: description,
  });

export const targetInvalid: Refusal = () => oauthError('invalid_target', 'The resource is not this service.');

export const oauthOff: Refusal = () =>
  new HttpError(404, {
    title: 'Not found',
    description: 'Apps cannot sign in here: OAUTH is off, or PUBLIC_URL is not set.',
    code: 'oauth_off',
  });

/** The issuer; 404 if apps cannot sign in. */
export function requireIssuer(): string {
  if (config.oauthIssuer === undefined) throw oauthOff();
  return config.oauthIssuer;
}
