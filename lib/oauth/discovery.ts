import { aFlag, aText, aWord, described, listOf, record, type Shown } from '../api/schema.ts';
import type { Scope } from '../api/scopes.ts';
import { config } from '../settings/config.ts';
import { requireIssuer } from './errors.ts';

/*
 * The documents that tell clients how to sign in. Nothing here imports the database: the
 * function of MCP uses the challenge.
 */

/**
 * The scopes that apps may have. Managing the account and administering the service stay with
 * people and with tokens that they make themselves.
 */
export const appScopes = [
  'rooms:read',
  'members:read',
  'messages:read',
  'rooms:write',
  'members:write',
  'messages:write',
] as const satisfies Scope[];

export const tokenPath = '/api/oauth/token';
export const revocationPath = '/api/oauth/revocation';
export const resourceDocumentPath = '/.well-known/oauth-protected-resource';

/** The paths that a client may name as the resource; all of them are this service. */
const resourcePaths = ['', '/api', '/api/mcp'];

/** Whether an address names this service (RFC 8707). */
export const isOwnResource = (resource: string, issuer: string): boolean =>
  resourcePaths.some((path) => resource.replace(/\/$/, '') === `${issuer}${path}`);

const aUrl = (of: string) => described(`The address of ${of}.`, aText);
const theScopes = described('The scopes that apps may have.', listOf(aWord(...appScopes)));

/** The metadata of the authorization server (RFC 8414). */
export const serverSchema = record('AuthorizationServer', {
  issuer: described('The issuer, as in `iss` of the responses.', aText),
  authorization_endpoint: aUrl('the page where people allow an app to use their account'),
  token_endpoint: aUrl('the token endpoint'),
  revocation_endpoint: aUrl('the revocation endpoint'),
  service_documentation: aUrl('the documentation'),
  scopes_supported: theScopes,
  response_types_supported: described('Always `code`.', listOf(aWord('code'))),
  response_modes_supported: described('Always `query`.', listOf(aWord('query'))),
  grant_types_supported: described('The grant types.', listOf(aWord('authorization_code', 'refresh_token'))),
  code_challenge_methods_supported: described('Always `S256`.', listOf(aWord('S256'))),
  token_endpoint_auth_methods_supported: described('Always `none`: clients are public.', listOf(aWord('none'))),
  revocation_endpoint_auth_methods_supported: described('Always `none`.', listOf(aWord('none'))),
  authorization_response_iss_parameter_supported: described('True: responses have `iss` (RFC 9207).', aFlag),
  client_id_metadata_document_supported: described('True: the address of a metadata document is a client id.', aFlag),
});

/** Describes the authorization server; 404 if apps cannot sign in. */
export const describeServer = (): Shown<typeof serverSchema> => serverAt(requireIssuer());

/** The description of the authorization server at an address. */
export function serverAt(issuer: string): Shown<typeof serverSchema> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}${tokenPath}`,
    revocation_endpoint: `${issuer}${revocationPath}`,
    service_documentation: URL.parse(config.docsUrl, issuer)?.href ?? `${issuer}/docs`,
    scopes_supported: [...appScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** The metadata of a protected resource (RFC 9728). */
export const resourceSchema = record('ProtectedResource', {
  resource: described('The address of the resource.', aText),
  authorization_servers: described('The issuers of its tokens.', listOf(aText)),
  scopes_supported: theScopes,
  bearer_methods_supported: described('Always `header`.', listOf(aWord('header'))),
  resource_name: described('The name of the service.', aText),
});

/** Describes the service, or a path of it, as a protected resource; 404 if apps cannot sign in. */
export const describeResource = (path: ResourcePath): Shown<typeof resourceSchema> => resourceAt(requireIssuer(), path);

export type ResourcePath = '' | '/api/mcp';

/** The description of the service at an address, or of a path of it, as a protected resource. */
export function resourceAt(issuer: string, path: ResourcePath): Shown<typeof resourceSchema> {
  return {
    resource: `${issuer}${path}`,
    authorization_servers: [issuer],
    scopes_supported: usualScopes(),
    bearer_methods_supported: ['header'],
    resource_name: config.brandName,
  };
}

// Clients ask for these unless they are configured otherwise.
const usualScopes = (): (typeof appScopes)[number][] =>
  config.mcp === 'read' ? appScopes.filter((scope) => scope.endsWith(':read')) : [...appScopes];

/**
 * The `WWW-Authenticate` header of a 401. It leads a client of MCP to the authorization server.
 * Absent if apps cannot sign in.
 */
export function challengeOf(token: string | undefined): string | undefined {
  const { oauthIssuer: issuer } = config;
  if (issuer === undefined) return undefined;
  const error = token === undefined ? '' : 'error="invalid_token", ';
  return `Bearer ${error}resource_metadata="${issuer}${resourceDocumentPath}/api/mcp", scope="${usualScopes().join(' ')}"`;
}
