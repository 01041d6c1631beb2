import { limits } from '../../lib/api/limits.ts';
import type { JsonSchema } from '../../lib/api/schema.ts';
import {
  adminRequired,
  conflict,
  gone,
  HttpError,
  internalError,
  invalidJson,
  invalidParameter,
  keyReused,
  missingParameter,
  notAcceptable,
  notFound,
  notPrepared,
  payloadTooLarge,
  preconditionFailed,
  rangeNotSatisfiable,
  serviceUnavailable,
  tooManyRequests,
  unauthenticated,
  unknownParameter,
  unsupportedMediaType,
} from '../../lib/base/errors.ts';
import { outsideBusy } from '../../lib/base/outside.ts';
import { lengthHeader, wrongPosition } from '../../lib/messages/streaming/chunks.ts';
import { oauthError } from '../../lib/oauth/errors.ts';
import { config } from '../../lib/settings/config.ts';
import { always, challenge, contentRange, everywhere, type Headers, onEmpty, retryAfter, streamLength } from './headers.ts';

const signInByOAuth = new HttpError(401, unauthenticated().body, { 'WWW-Authenticate': '' });

const aRequestId = '6f2c1c54-6c0e-4c8b-9c8e-3f6f3a3d2b11';

/** The service's errors by status, each with name, meaning and examples. */
export const errors: Record<number, { name: string; meaning: string; samples: HttpError[] }> = {
  400: {
    name: 'BadRequest',
    meaning: 'A parameter is missing or invalid, or the body is not JSON.',
    samples: [
      missingParameter('name'),
      invalidParameter('limit', 'be from 1 to 200'),
      unknownParameter('Name', 'name'),
      invalidJson(),
      oauthError('invalid_grant', 'The code is invalid, has expired or was already used.'),
    ],
  },
  401: {
    name: 'Unauthenticated',
    meaning: 'The token is missing or invalid.',
    samples: [unauthenticated(), signInByOAuth],
  },
  403: { name: 'PermissionDenied', meaning: 'The caller may not do this.', samples: [adminRequired()] },
  404: {
    name: 'NotFound',
    meaning: 'It does not exist, or the caller may not see it.',
    samples: [notFound('room'), notFound('path')],
  },
  406: {
    name: 'NotAcceptable',
    meaning: 'The caller does not accept JSON.',
    samples: [notAcceptable(config.docsUrl)],
  },
  409: {
    name: 'Conflict',
    meaning: 'The current state does not allow it.',
    samples: [conflict('room_archived', 'The room is archived.'), wrongPosition()],
  },
  410: {
    name: 'Gone',
    meaning: 'It is gone.',
    samples: [gone('cursor_too_old', 'The cursor is older than the kept history.')],
  },
  412: {
    name: 'PreconditionFailed',
    meaning: 'The `ETag` differs from `If-Match`; nothing was changed.',
    samples: [preconditionFailed()],
  },
  413: { name: 'PayloadTooLarge', meaning: 'The body is too large.', samples: [payloadTooLarge(limits.jsonBody)] },
  415: {
    name: 'UnsupportedMediaType',
    meaning: 'The body is not JSON.',
    samples: [unsupportedMediaType()],
  },
  416: {
    name: 'RangeNotSatisfiable',
    meaning: 'The range is outside the file; `Content-Range` has its size.',
    samples: [rangeNotSatisfiable(1_024)],
  },
  422: { name: 'KeyReused', meaning: 'The `Idempotency-Key` was used with a different request.', samples: [keyReused()] },
  429: { name: 'TooManyRequests', meaning: 'There were too many requests in too short a time.', samples: [tooManyRequests()] },
  500: {
    name: 'InternalError',
    meaning: 'The service failed; its log has the details.',
    samples: [internalError(aRequestId)],
  },
  503: {
    name: 'ServiceUnavailable',
    meaning: 'The database is down or slow, or the service is busy.',
    samples: [serviceUnavailable(), notPrepared(), outsideBusy()],
  },
};

/**
 * The responses of all errors with a body, for OpenAPI's components. `codes` lists the codes by
 * status.
 */
export const errorResponses = (codes: Map<number, string[]> = new Map()) =>
  Object.fromEntries(
    Object.entries(errors).map(([status, { name, meaning, samples }]) => [
      name,
      errorResponse(meaning, samples, codes.get(Number(status))),
    ]),
  );

/** The response to an unsupported method. */
export const otherMethodResponse = {
  description: 'The path does not support the method; `Allow` lists the supported ones. The body is empty.',
  headers: {
    ...everywhere,
    ...onEmpty,
    Allow: always('The methods of the path.', { type: 'string' }),
  },
};

function errorResponse(description: string, samples: HttpError[], codes?: string[]) {
  const headers: Headers = { ...everywhere, ...onEmpty };
  if (samples.some((sample) => 'Retry-After' in sample.headers)) headers['Retry-After'] = retryAfter;
  if (samples.some((sample) => 'WWW-Authenticate' in sample.headers)) headers['WWW-Authenticate'] = challenge;
  if (samples.some((sample) => 'Content-Range' in sample.headers)) headers['Content-Range'] = contentRange;
  if (samples.some((sample) => lengthHeader in sample.headers)) headers[lengthHeader] = streamLength;
  return {
    description,
    headers,
    content: { 'application/json': { schema: errorSchema(samples, codes), ...examplesOf(samples) } },
  };
}

// The title identifies the kind of error within a status; the description is for people.
function errorSchema(samples: HttpError[], known: string[] = []): JsonSchema {
  const titles = [...new Set(samples.map(({ body }) => body?.title))];
  const link = samples.some(({ body }) => body?.link) && { link: linkSchema };
  const title = {
    description: 'The kind of error, in the same words for every error of its kind.',
    ...(titles.length === 1 ? { const: titles[0] } : { enum: titles }),
  };
  const properties = { title, description: { description: 'The error, in a sentence for people.', ...sentence }, ...link };
  const codes = [...new Set([...samples.flatMap(({ body }) => body?.code ?? []), ...known])].sort();
  const code = {
    code: {
      description: 'The error, for programs. It stays the same if the sentence changes; absent at `/api/rooms`.',
      ...(codes.length === 1 ? { const: codes[0] } : { enum: codes }),
    },
  };
  const required = Object.keys(properties);
  const oauth = samples.some(({ body }) => body?.error) && oauthSchemas;
  return { type: 'object', properties: { ...properties, ...code, ...oauth }, required, additionalProperties: false };
}

const oauthSchemas = {
  error: { description: 'The error in the terms of OAuth; only on the paths of OAuth.', type: 'string' },
  error_description: { description: 'A copy of `description`; only with `error`.', type: 'string' },
};

const sentence = { type: 'string', minLength: 1 };
const linkSchema = {
  type: 'object',
  description: 'A page that helps.',
  properties: {
    href: { description: 'The URL of the page.', type: 'string', format: 'uri-reference' },
    rel: { description: 'The relation of the page to the error.', const: 'help' },
    text: { description: 'The subject of the page.', ...sentence },
  },
  required: ['href', 'rel', 'text'],
  additionalProperties: false,
};

const examplesOf = (samples: HttpError[]) => ({
  examples: Object.fromEntries(samples.map(({ body }) => [body?.code ?? '', { value: body }])),
});
