import type { JsonSchema } from '../../lib/api/schema.ts';
import { elsewhere, always as headersOfBytes, policy as policyOfBytes } from '../../lib/http/bytes.ts';
import { success } from '../../lib/http/endpoint.ts';
import { headers as securityHeaders } from '../../lib/http/middleware/security-headers.ts';

/** A header in OpenAPI's form. */
export type Header = { description: string; required?: true; schema: JsonSchema };
export type Headers = Record<string, Header>;

// The value of this header is a setting.
const hsts = 'Strict-Transport-Security';

/** The headers of every response. */
export const everywhere: Headers = {
  'X-Request-Id': always("The id of this request in the service's log.", { type: 'string', minLength: 1 }),
  ...Object.fromEntries(
    Object.entries(securityHeaders()).map(([name, value]) => [
      name,
      always(
        'Prevents browsers from misusing the response.',
        name === hsts ? { type: 'string', pattern: `^${value}` } : { const: value },
      ),
    ]),
  ),
  'Access-Control-Allow-Origin': sometimes('The origins whose pages may read the response.', { type: 'string' }),
  RateLimit: sometimes("The rest of the account's rate of messages and changes: `r` at once, all of it in `t` seconds.", {
    type: 'string',
  }),
  'RateLimit-Policy': sometimes('That rate: `q` at once, and as many again in `w` seconds.', { type: 'string' }),
  'Access-Control-Expose-Headers': sometimes('The headers that these pages may read.', { type: 'string' }),
};

/** The headers of a successful response with a body. */
export const onSuccess: Headers = {
  'Cache-Control': always('No cache may store the response.', { const: success['Cache-Control'] }),
  Vary: always('The request headers that the response depends on.', { type: 'string', pattern: `^${success.Vary}` }),
  'Content-Encoding': sometimes('The compression of a longer response, if the caller accepts one.', { enum: ['br', 'gzip'] }),
};

/** The headers of a response without a body, and of an error. */
export const onEmpty: Headers = {
  'Cache-Control': always('No cache may store the response.', { const: 'no-store' }),
  Vary: sometimes('The request headers that the response depends on.', { type: 'string' }),
};

/**
 * The headers of a page. Its policy allows only its own script and style, and calls to its own
 * origin.
 */
export const onPage: Headers = {
  'Cache-Control': always('Caches must revalidate it every time.', { const: 'max-age=0, must-revalidate' }),
  'Content-Security-Policy': always('The permissions of the page.', {
    type: 'string',
    pattern: "^default-src 'none'; script-src ",
  }),
  'Cross-Origin-Opener-Policy': always('Separates the page from windows of other origins.', { const: 'same-origin' }),
  Vary: always('The request headers that the response depends on.', { type: 'string', pattern: '^Accept-Encoding' }),
  'Content-Encoding': sometimes('The compression of a longer response, if the caller accepts one.', { enum: ['br', 'gzip'] }),
};

/** The headers of a file of a page. */
export const onFile: Headers = {
  'Content-Security-Policy': always('The permissions of the file, if it is a worker.', {
    type: 'string',
    pattern: "^default-src 'none'; ",
  }),
  'Cache-Control': always('Caches may keep it for ever if its path changes with its content.', {
    enum: ['public, max-age=31536000, immutable', 'max-age=0, must-revalidate'],
  }),
  Vary: always('The request headers that the response depends on.', { type: 'string', pattern: '^Accept-Encoding' }),
  'Content-Encoding': sometimes('The compression of a longer response, if the caller accepts one.', { enum: ['br', 'gzip'] }),
};

/** How a program signs in. */
export const challenge = sometimes('How to sign in by OAuth (RFC 9728); only at `/api/mcp`.', { type: 'string' });

/** The range of a response within a file. */
export const contentRange = always('The bytes of the response, and the number of all bytes.', {
  type: 'string',
  pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$',
});

/** The headers of a response with bytes instead of JSON. */
export const onBytes: Headers = {
  ...Object.fromEntries(
    Object.entries(headersOfBytes).map(([name, value]) => [
      name,
      always('Browsers keep it, and ask each time whether they may show it.', { type: 'string', pattern: `^${value}` }),
    ]),
  ),
  'Content-Security-Policy': always('Denies the file all permissions if it is opened by itself.', {
    type: 'string',
    pattern: `^${policyOfBytes}(; sandbox)?$`,
  }),
  'Content-Disposition': always('Whether it is shown in place or downloaded, and its name.', {
    type: 'string',
    pattern: '^(inline|attachment); filename="[^"]*"; filename\\*=UTF-8\'\'\\S*$',
  }),
  'Accept-Ranges': always('Ranges of bytes can be requested.', { const: 'bytes' }),
};

/** The headers of a user's picture. */
export const onPicture: Headers = {
  Vary: onBytes.Vary as Header,
  'Cross-Origin-Resource-Policy': onBytes['Cross-Origin-Resource-Policy'] as Header,
  'Content-Security-Policy': onBytes['Content-Security-Policy'] as Header,
  'Cache-Control': always('Browsers keep it: for ever if the address has its version, and else they ask each time.', {
    enum: ['private, max-age=31536000, immutable', 'private, no-cache'],
  }),
};

/** The headers of a redirect to bytes. */
export const onElsewhere: Headers = {
  Location: always('The address of the bytes.', { type: 'string', format: 'uri' }),
  ...Object.fromEntries(
    Object.entries(elsewhere).map(([name, value]) => [
      name,
      always('Permission is checked again on each request.', { type: 'string', pattern: `^${value}` }),
    ]),
  ),
};

/** The headers of a response to OPTIONS, which browsers send before a call. */
export const onOptions: Headers = {
  ...onEmpty,
  Allow: always('The methods of the path.', { type: 'string' }),
  'Access-Control-Allow-Methods': always('The methods of the path.', { type: 'string' }),
  'Access-Control-Allow-Headers': always('The request headers that a page may send.', { type: 'string' }),
  'Access-Control-Max-Age': always('The seconds for which a browser may remember this.', { type: 'string' }),
};

/** The entity tag, which later requests compare with. */
export const entityTag = always('Stays the same as long as the body does: for `If-None-Match` and `If-Match`.', {
  type: 'string',
  pattern: '^"[\\w-]{22}"$',
});

/** The headers of a 304 response. */
export const onNotModified: Headers = {
  'Cache-Control': onSuccess['Cache-Control'] as Header,
  Vary: onSuccess.Vary as Header,
  ETag: entityTag,
};

/** The headers of a 304 response for bytes. */
export const onBytesNotModified: Headers = {
  'Cache-Control': onBytes['Cache-Control'] as Header,
  Vary: onBytes.Vary as Header,
  ETag: entityTag,
};

/** The headers of a 304 response for a picture. */
export const onPictureNotModified: Headers = {
  'Cache-Control': onPicture['Cache-Control'] as Header,
  Vary: onPicture.Vary as Header,
  ETag: entityTag,
};

/** The address of the next page of a list. */
export const link = sometimes('`<URL>; rel="next"` with the URL of the next page, if there is one.', { type: 'string' });

/** Marks the response to a retry. */
export const replayed = sometimes('The request was a retry; the answer is that of the first one.', { const: 'true' });

/** The seconds until a retry may succeed. */
export const retryAfter = always('The seconds to wait before a retry.', { type: 'string', pattern: '^[1-9]\\d*$' });

/** The number of characters of a message that streams. */
export const streamLength = sometimes('With `wrong_position`: the number of characters that the service has.', {
  type: 'string',
  pattern: '^\\d+$',
});

/** A header that is always present. */
export function always(description: string, schema: JsonSchema): Header {
  return { description, required: true, schema };
}

/** A header that may be present. */
export function sometimes(description: string, schema: JsonSchema): Header {
  return { description, schema };
}
