import type { JsonSchema } from '../../lib/api/schema.ts';
import { success } from '../../lib/http/endpoint.ts';
import { headers as securityHeaders } from '../../lib/http/middleware/security-headers.ts';

/** A header as OpenAPI describes it. */
export type Header = { description: string; required?: true; schema: JsonSchema };
export type Headers = Record<string, Header>;

/** What stands on every answer. */
export const everywhere: Headers = {
  'X-Request-Id': always('The id of this request in the log of the service.', { type: 'string', minLength: 1 }),
  ...Object.fromEntries(
    Object.entries(securityHeaders).map(([name, value]) => [
      name,
      always('Keeps browsers from misusing the answer.', { const: value }),
    ]),
  ),
  'Access-Control-Allow-Origin': sometimes('Which pages may read the answer.', { type: 'string' }),
  'Access-Control-Expose-Headers': sometimes('Which headers these pages may read.', { type: 'string' }),
};

/** What stands on an answer with a body when all went well. */
export const onSuccess: Headers = {
  'Cache-Control': always('Nothing of it may be kept.', { const: success['Cache-Control'] }),
  Vary: always('What the answer depends on.', { type: 'string', pattern: `^${success.Vary}` }),
  'Content-Encoding': sometimes('How a longer answer is compressed, if the caller takes that.', { enum: ['br', 'gzip'] }),
};

/** What stands on an answer without a body, and on one that is an error. */
export const onEmpty: Headers = {
  'Cache-Control': always('Nothing of it may be kept.', { const: 'no-store' }),
  Vary: sometimes('What the answer depends on.', { type: 'string' }),
};

/** What stands on a page: its policy lets it run its own script and style, and call the API that it comes from. */
export const onPage: Headers = {
  'Cache-Control': always('Ask again each time.', { const: 'max-age=0, must-revalidate' }),
  'Content-Security-Policy': always('What the page may do.', { type: 'string', pattern: "^default-src 'none'; script-src " }),
  Vary: always('What the answer depends on.', { type: 'string', pattern: '^Accept-Encoding' }),
  'Content-Encoding': sometimes('How a longer answer is compressed, if the caller takes that.', { enum: ['br', 'gzip'] }),
};

/** What the answer to OPTIONS says, to browsers that ask before they call among others. */
export const onOptions: Headers = {
  ...onEmpty,
  Allow: always('The methods of the path.', { type: 'string' }),
  'Access-Control-Allow-Methods': always('The methods of the path.', { type: 'string' }),
  'Access-Control-Allow-Headers': always('The headers that a page may send.', { type: 'string' }),
  'Access-Control-Max-Age': always('For how many seconds a browser may remember this.', { type: 'string' }),
};

/** What says that a list goes on. */
export const link = sometimes('`<address>; rel="next"` when there is more: the address of the next page.', { type: 'string' });

/** What says that nothing was done again. */
export const replayed = sometimes('The request was a retry; this is the first answer again.', { const: 'true' });

/** How long to wait. */
export const retryAfter = always('After how many seconds a retry is worth it.', { type: 'string', pattern: '^[1-9]\\d*$' });

/** A header that is always there. */
export function always(description: string, schema: JsonSchema): Header {
  return { description, required: true, schema };
}

/** A header that may be there. */
export function sometimes(description: string, schema: JsonSchema): Header {
  return { description, schema };
}
