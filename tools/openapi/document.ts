import { scopes } from '../../lib/api/scopes.ts';
import type { Operations } from '../../lib/http/operation.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Step } from '../harness/walkthrough.ts';
import { headerCollector, schemaCollector } from './components.ts';
import { errorResponses, otherMethodResponse } from './errors.ts';
import { everywhere, onFile, onOptions, onPage } from './headers.ts';
import { tags } from './names.ts';
import { codesOf, describeOperation } from './operations.ts';

/** The OpenAPI 3.1 document of the service, generated from its operations. */
export function describeService(paths: Path[], examples: Map<string, Step> = new Map()) {
  const { schemas, refer: referSchemas } = schemaCollector();
  const { headers, refer: referHeaders } = headerCollector();
  const refer = (response: DescribedResponse) =>
    response.headers ? { ...response, headers: referHeaders(response.headers) } : response;

  const isPage = ({ operations }: Path) =>
    Object.entries(operations).every(([method, { type }]) => method === 'GET' && type !== undefined);
  const described = paths
    .filter((path) => !isPage(path))
    .map(({ path, operations }) => {
      const methods = Object.entries(operations).map(([method, defined]) => {
        const operation = describeOperation(method, path, defined, examples.get(`${method} ${path}`));
        const responses = Object.entries(operation.responses).map(([status, response]) => [status, refer(response)]);
        return [method.toLowerCase(), { ...operation, responses: Object.fromEntries(responses) }];
      });
      return [path, Object.fromEntries(methods)];
    });
  const mentioned = JSON.stringify(described);
  const responses = Object.entries(errorResponses(codesOf(paths.map(({ operations }) => operations))))
    .filter(([name]) => mentioned.includes(`#/components/responses/${name}"`))
    .map(([name, response]) => [name, refer(response)]);

  return {
    openapi: '3.1.0',
    info: {
      title: 'Chat service',
      version: manifest.version,
      summary: manifest.description,
      description,
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ token: [] }, { bearer: [] }, { cookie: [] }],
    tags: tags
      .filter(({ segments }) => paths.some(({ path }) => segments.some((segment) => path.split('/').includes(segment))))
      .map(({ name, description }) => ({ name, description })),
    paths: referSchemas(Object.fromEntries(described)),
    'x-other-methods': { 204: optionsResponse, ...refusalsBefore, 405: otherMethodResponse },
    'x-pages': Object.fromEntries(paths.filter(isPage).map(({ path, operations }) => [path, describePage(path, operations)])),
    'x-page-responses': pageResponses,
    'x-other-paths': { 204: optionsResponse, 404: errorResponses().NotFound },
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Auth-Token',
          description: `The 32 characters of a session token or a named token. A named token may be restricted to scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`,
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The token in `Authorization`, for programs that cannot send `X-Auth-Token`. It is ignored if `X-Auth-Token` is present.',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-session',
          description:
            "A session in a browser, hidden from scripts; over plain http its name is `session`. It is valid only in requests from pages of the service's own origin, without a token in the headers.",
        },
      },
      schemas,
      headers,
      responses: Object.fromEntries(responses),
    },
  };
}

type Path = { path: string; operations: Operations };

// biome-ignore lint/suspicious/noExplicitAny: only the headers matter here
type DescribedResponse = any;

const pageResponse = {
  description: 'The page.',
  headers: { ...everywhere, ...onPage },
  content: { 'text/html': { schema: { type: 'string' } } },
};

const text = { schema: { type: 'string' } };
const fileResponse = {
  description: 'The file.',
  headers: { ...everywhere, ...onFile },
  content: { 'text/javascript': text, 'text/css': text, 'image/svg+xml': text, 'application/manifest+json': { schema: {} } },
};

/** The responses of pages, of files of the web client, and of the form that shares with it. */
const redirectResponse = {
  description: 'The way to the page.',
  headers: { ...everywhere, Location: { description: 'The address of the page.', schema: { type: 'string' }, required: true } },
};

const pageResponses = { page: pageResponse, file: fileResponse, redirect: redirectResponse };
const responseRef = (name: keyof typeof pageResponses) => ({ $ref: `#/x-page-responses/${name}` });

const describePage = (path: string, { GET }: Operations) => ({
  get: {
    summary: GET?.summary,
    responses:
      GET?.type === '*/*'
        ? { 200: responseRef('file'), 404: { $ref: '#/components/responses/NotFound' } }
        : { 200: responseRef('page') },
  },
  // Other apps share with the installed client by a form.
  ...(path === '/share' && { post: { summary: GET?.summary, responses: { 303: responseRef('redirect') } } }),
});

const optionsResponse = { description: 'The methods of the path, without a body.', headers: { ...everywhere, ...onOptions } };

// Errors that are detected before the method is checked.
const refusalsBefore = {
  401: { $ref: '#/components/responses/Unauthenticated' },
  403: { $ref: '#/components/responses/PermissionDenied' },
  406: { $ref: '#/components/responses/NotAcceptable' },
  415: { $ref: '#/components/responses/UnsupportedMediaType' },
  503: { $ref: '#/components/responses/ServiceUnavailable' },
};

const description = `Accounts, rooms and messages. Requests and responses are JSON.

- \`X-Auth-Token\` carries session tokens and named tokens. \`Authorization: Bearer\` works if
  \`X-Auth-Token\` is absent. Browsers may keep a session in a cookie instead (\`cookie: true\` at login
  and sign-up), for pages of the service's own origin.
- Ids are \`{"$oid": "<24 hex>"}\`, times \`{"$date": "<ISO 8601>"}\`. Paths and queries take bare ids,
  bodies take both forms.
- Lists are bare arrays. \`limit\` sets the size of a page. If there is a next page,
  \`Link: <...>; rel="next"\` has its address.
- Every error has a \`title\`, a \`description\` of one sentence and a \`code\` for programs. Errors of
  \`/api/rooms\` lack the \`code\`, and a 405 is empty.
- A room, its details and a message have an \`ETag\`. Send it as \`If-None-Match\` to get 304 if nothing
  has changed, and as \`If-Match\` to get 412 instead of overwriting another change.
- The checks have this order: token (401), administrators' path (403), media type (406, 415),
  method (405), permission for the method (403), body and parameters (400, 413), object (404),
  state (409).
- OPTIONS needs no token and gets 204 with \`Allow\`. HEAD is like GET without the body, except on
  \`/api/rooms\`.
- An unsupported method gets 405 with \`Allow\`, an unknown path 404.
- Unknown fields in a body are refused (400), except on \`/api/rooms\`.
- In texts, line breaks become newlines and colour sequences of terminals are removed. Other control
  characters except tabs are refused. A letter has at most 20 combining marks. A name is one line. A text without
  visible characters counts as blank.`;
