import { config } from './config.ts';

/** The body of an error: what went wrong in general, and in this case. */
export type ErrorBody = {
  title: string;
  description: string;
  link?: { href: string; rel: string; text: string };
};

/** An answer other than success: thrown anywhere below `errors()` in the chain, which turns it into a response. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  readonly body: ErrorBody | undefined;
  readonly headers: Record<string, string>;

  constructor(status: number, body?: ErrorBody, headers: Record<string, string> = {}) {
    super(body?.description ?? `HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** 400: a required parameter is not there. */
export const missingParameter = (name: string) =>
  new HttpError(400, { title: 'Missing parameter', description: `The '${name}' parameter is required.` });

/** 400: of several parameters none is there. */
export const missingEvery = (names: string[]) =>
  new HttpError(400, {
    title: 'Missing parameter',
    description: `At least one of the parameters ${names.map((name) => `'${name}'`).join(', ')} is required.`,
  });

/** 400: a parameter is not as it must be; `rule` completes "The 'limit' parameter must ...". */
export const invalidParameter = (name: string, rule: string) =>
  new HttpError(400, { title: 'Invalid parameter', description: `The '${name}' parameter must ${rule}.` });

/** 400: the body can't be read; `description` is a sentence. */
export const invalidJson = (description = 'The request body is not a JSON object.') =>
  new HttpError(400, { title: 'Invalid JSON', description });

/** 401, in the specification's own spelling. */
export const notAuthentificated = (description = 'Please provide an auth token or login.') =>
  new HttpError(401, { title: 'Not authentificated', description });

/** 403: the caller is known, but may not do this. */
export const permissionDenied = (description = 'Admin required.') =>
  new HttpError(403, { title: 'Permission Denied', description });

/** 404: there is no such thing, or none that the caller may see. */
export const notFound = (thing: string) => new HttpError(404, { title: 'Not found', description: `No such ${thing}.` });

/** 405: no body; `allow` names what the path can do. */
export const methodNotAllowed = (allow: string) => new HttpError(405, undefined, { allow });

/** 406: neither the caller nor this service would understand the other. */
export const notAcceptable = () =>
  new HttpError(406, {
    title: 'Media type not acceptable',
    description: 'This API only supports responses encoded as JSON.',
    link: { href: `${config.docsUrl}/api/json`, rel: 'help', text: 'How to ask for JSON and how to send it' },
  });

/** 409: the thing's present state does not allow it. */
export const conflict = (description: string) => new HttpError(409, { title: 'Conflict', description });

/** 410: it was there, and is not kept for ever. */
export const gone = (description: string) => new HttpError(410, { title: 'Gone', description });

/** 413: more than the service reads. */
export const payloadTooLarge = (most: number) =>
  new HttpError(413, { title: 'Payload too large', description: `The body must not exceed ${most} bytes.` });

/** 413: more than one response can carry. */
export const answerTooLarge = () =>
  new HttpError(413, {
    title: 'Payload too large',
    description: "The answer would exceed 6 MB: ask for it page by page with the 'limit' parameter.",
  });

/** 429: too many in too short a time; worth a retry in so many seconds. */
export const tooManyRequests = (seconds: number) =>
  new HttpError(
    429,
    { title: 'Too many requests', description: `Retry in ${seconds} seconds.` },
    { 'Retry-After': String(seconds) },
  );

/** 500: tells nothing but where to look. */
export const internalError = (requestId: string) =>
  new HttpError(500, { title: 'Internal error', description: `The request failed and has been logged as ${requestId}.` });

/** 503: the database is down, mute or slow; worth a retry. */
export const serviceUnavailable = (description = 'The database did not answer in time.') =>
  new HttpError(503, { title: 'Service unavailable', description }, { 'Retry-After': '2' });

/** Not a refusal: ends the chain early with an empty answer, such as that to OPTIONS, which needs no token. */
export const noContent = (headers: Record<string, string>) => new HttpError(204, undefined, headers);
