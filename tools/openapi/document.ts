import { scopes } from '../../lib/api/scopes.ts';
import type { Operations } from '../../lib/http/operation.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Step } from '../harness/walkthrough.ts';
import { headerCollector, schemaCollector } from './components.ts';
import { errorResponses, otherMethodResponse } from './errors.ts';
import { everywhere, onFile, onOptions, onPage } from './headers.ts';
import { tags } from './names.ts';
import { codesOf, describeOperation } from './operations.ts';

/** The OpenAPI 3.1 document of the service, from the operations that answer its requests. */
export function describeService(paths: Path[], examples: Map<string, Step> = new Map()) {
  const { schemas, refer: referSchemas } = schemaCollector();
  const { headers, refer: referHeaders } = headerCollector();
  const refer = (response: Described) => (response.headers ? { ...response, headers: referHeaders(response.headers) } : response);

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
    'x-pages': Object.fromEntries(paths.filter(isPage).map(({ path, operations }) => [path, describePage(operations)])),
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
            'The same 32 characters, for programs that can only send `Authorization`. It counts only without `X-Auth-Token`.',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-session',
          description:
            "A session that a browser keeps, out of reach of scripts; over plain http its name is `session`. It counts only in requests from pages of the service's own origin, and only without a token in the headers.",
        },
      },
      schemas,
      headers,
      responses: Object.fromEntries(responses),
    },
  };
}

type Path = { path: string; operations: Operations };

// biome-ignore lint/suspicious/noExplicitAny: a response of OpenAPI, of which only the headers matter here
type Described = any;

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

/** The answers of pages, and of the files of the web client. */
const pageResponses = { page: pageResponse, file: fileResponse };
const responseRef = (name: keyof typeof pageResponses) => ({ $ref: `#/x-page-responses/${name}` });

const describePage = ({ GET }: Operations) => ({
  get: {
    summary: GET?.summary,
    responses:
      GET?.type === '*/*'
        ? { 200: responseRef('file'), 404: { $ref: '#/components/responses/NotFound' } }
        : { 200: responseRef('page') },
  },
});

const optionsResponse = { description: 'The methods of the path, without a body.', headers: { ...everywhere, ...onOptions } };

// The refusals that come before the method is checked.
const refusalsBefore = {
  401: { $ref: '#/components/responses/Unauthenticated' },
  403: { $ref: '#/components/responses/PermissionDenied' },
  406: { $ref: '#/components/responses/NotAcceptable' },
  415: { $ref: '#/components/responses/UnsupportedMediaType' },
  503: { $ref: '#/components/responses/ServiceUnavailable' },
};

const description = `Accounts, rooms and messages. Requests and responses are JSON.

- \`X-Auth-Token\` carries every kind of token: session tokens, and named tokens for programs; so does
  \`Authorization: Bearer\` where \`X-Auth-Token\` is absent. Browsers may keep a session token in a
  cookie instead (\`cookie: true\` at login and sign-up), which counts in requests from pages of the service's own origin.
- Ids are \`{"$oid": "<24 hex>"}\`, times \`{"$date": "<ISO 8601>"}\`. Paths and queries take bare ids, bodies take both forms.
- Lists are bare arrays. \`limit\` sets the size of a page; \`Link: <...>; rel="next"\` is the address of the next page, if there is one.
- Every error has a \`title\`, a \`description\` of one sentence and a \`code\` for programs; \`/api/rooms\` has no \`code\`, and 405 has no body.
- A room, its details and a message have an \`ETag\`: \`If-None-Match\` saves what is known already (304), \`If-Match\` keeps a change from undoing
  another (412).
- Checks come in this order: token (401), a path for administrators only (403), media type (406, 415), method (405), permission for the method
  (403), body and parameters (400, 413), the object (404), its state (409).
- OPTIONS on any path needs no token and gets 204 with \`Allow\`. HEAD gets what GET would, without the body, but on \`/api/rooms\`.
- A method that a path does not have gets 405 with \`Allow\`, any other path 404.
- A body with a field that the operation does not know is refused (400); \`/api/rooms\` ignores it. In texts every line break becomes
  a newline, the sequences that colour a terminal go, and a letter has at most 20 combining marks; other control characters but tabs are refused. A name is one line, and what shows nothing is blank.`;
