import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { pathFamily } from '../lib/http/path-family.ts';
import { isAdmin } from '../lib/identity/caller.ts';
import {
  allowApp,
  answerParameters,
  answerRefusals,
  answerSchema,
  describeRequest,
  requestParameters,
  requestRefusals,
  requestSchema,
} from '../lib/oauth/authorization.ts';
import {
  describeResource,
  describeServer,
  type ResourcePath,
  resourceAt,
  resourceDocumentPath,
  resourceSchema,
  revocationPath,
  serverAt,
  serverSchema,
  tokenPath,
} from '../lib/oauth/discovery.ts';
import { oauthOff } from '../lib/oauth/errors.ts';
import {
  issuedSchema,
  issueTokens,
  revocationForm,
  revocationRefusals,
  revokeByForm,
  revokedSchema,
  tokenForm,
  tokenRefusals,
} from '../lib/oauth/token-requests.ts';

const clientId = 'https://app.example.com/oauth/client.json';
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const request = {
  client_id: clientId,
  redirect_uri: 'http://127.0.0.1:49152/callback',
  response_type: 'code',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};
const issuer = 'https://chat.example.org';
const refusal = `http://127.0.0.1:49152/callback?error=access_denied&iss=${encodeURIComponent(issuer)}`;
const code = 'w7k2mzq0c5t9xv1b8n4hs6jd3fgr0lpy';

const authorization = endpoint({
  GET: operation({
    summary: 'Describe what an app asks for, before its user decides',
    access: 'user',
    query: requestParameters,
    example: {
      query: request,
      answer: {
        name: 'Example',
        host: 'app.example.com',
        returns_to: '127.0.0.1:49152',
        is_on_device: true,
        scopes: ['messages:read'],
        refusal,
      },
    },
    status: 200,
    answer: requestSchema,
    refusals: requestRefusals,
    run: ({ query, caller }) => describeRequest(query, caller),
  }),
  POST: operation({
    summary: "Allow an app to use the caller's account: creates a code for the app",
    access: 'user',
    body: answerParameters,
    example: {
      body: { ...request, current_password: 'correct horse' },
      answer: { url: `http://127.0.0.1:49152/callback?code=${code}&iss=${encodeURIComponent(issuer)}` },
    },
    status: 201,
    answer: answerSchema,
    refusals: answerRefusals,
    audit: ({ body: { client_id, scope = '' } }, caller) =>
      isAdmin(caller)
        ? [
            {
              action: 'app.connected',
              target: { kind: 'user', id: caller.user._id, name: caller.user.username },
              details: { app: client_id, scopes: scope },
            },
          ]
        : [],
    run: ({ body, caller }) => allowApp(body, caller),
  }),
});

const token = endpoint({
  POST: operation({
    summary: 'Exchange a code or a refresh token for tokens, as an app (RFC 6749)',
    access: 'anyone',
    form: tokenForm,
    example: {
      body: {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: request.redirect_uri,
        code_verifier: verifier,
      },
      answer: {
        access_token: 'k3v9x0q2m7c1z8b5n4t6h0s2j9d7f1ga',
        token_type: 'Bearer',
        expires_in: 3_600,
        refresh_token: 'p8w4y1r6u0e3i5o7a9s2d4f6g8h0j1k3l5z7x9c1v3b5n7m9q1w3e5r7t9y1u3i5',
        scope: 'messages:read',
      },
    },
    status: 200,
    answer: issuedSchema,
    refusals: tokenRefusals,
    run: ({ raw }) => issueTokens(raw()),
  }),
});

const revocation = endpoint({
  POST: operation({
    summary: 'End the access of an app, as the app (RFC 7009)',
    access: 'anyone',
    form: revocationForm,
    example: { body: { token: 'k3v9x0q2m7c1z8b5n4t6h0s2j9d7f1ga', client_id: clientId }, answer: {} },
    status: 200,
    answer: revokedSchema,
    refusals: revocationRefusals,
    run: ({ raw }) => revokeByForm(raw()),
  }),
});

const server = endpoint({
  GET: operation({
    summary: 'Describe the authorization server (RFC 8414)',
    access: 'anyone',
    example: { answer: serverAt(issuer) },
    status: 200,
    answer: serverSchema,
    refusals: [oauthOff],
    run: async () => describeServer(),
  }),
});

const resource = (path: ResourcePath) =>
  endpoint({
    GET: operation({
      summary:
        path === ''
          ? 'Describe the API as a protected resource (RFC 9728)'
          : 'Describe the endpoint of MCP as a protected resource',
      access: 'anyone',
      example: { answer: resourceAt(issuer, path) },
      status: 200,
      answer: resourceSchema,
      refusals: [oauthOff],
      run: async () => describeResource(path),
    }),
  });

/** `/api/oauth/...` and `/.well-known/oauth-...`: apps sign in by OAuth 2.1. */
export const handler = pathFamily({
  '/api/oauth/authorization': authorization,
  [tokenPath]: token,
  [revocationPath]: revocation,
  '/.well-known/oauth-authorization-server': server,
  [resourceDocumentPath]: resource(''),
  [`${resourceDocumentPath}/api/mcp`]: resource('/api/mcp'),
});
