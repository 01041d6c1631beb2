/** The body of an error: its kind, a description of this case, and a `code` for programs. */
type ErrorBody = {
  title: string;
  description: string;
  code: string;
  link?: { href: string; rel: string; text: string };
  /** The error in the terms of OAuth, of the paths that its clients call. */
  error?: string;
  error_description?: string;
};

/**
 * A response other than success. Thrown anywhere below `errors()` in the middleware chain, which
 * turns it into a response.
 */
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

/**
 * An empty 204 that ends the chain early, such as the answer to OPTIONS. It is thrown, because only
 * then do the outer middlewares add their headers.
 */
export class EarlyAnswer extends Error {
  override name = 'EarlyAnswer';
  readonly headers: Record<string, string>;

  constructor(headers: Record<string, string>) {
    super('answered early');
    this.headers = headers;
  }
}

/**
 * Makes one particular error. A rule throws it and an operation lists it, so that its sentence is
 * written once.
 */
export type Refusal = () => HttpError;

/** 400: a required parameter is absent. */
export const missingParameter = (name: string) =>
  new HttpError(400, {
    title: 'Missing parameter',
    description: `The '${name}' parameter is required.`,
    code: 'missing_parameter',
  });

/** 400: one of several parameters is required, and all are absent. */
export const missingEvery = (names: string[]) =>
  new HttpError(400, {
    title: 'Missing parameter',
    description: `At least one of the parameters ${names.map((name) => `'${name}'`).join(', ')} is required.`,
    code: 'missing_parameter',
  });

/**
 * 400: the body has an unknown field. `meant` is the parameter with the most similar name, if there
 * is one.
 */
export const unknownParameter = (name: string, meant: string | undefined) =>
  new HttpError(400, {
    title: 'Unknown parameter',
    description: `Unknown parameter '${name}'.${meant === undefined ? '' : ` Did you mean '${meant}'?`}`,
    code: 'unknown_parameter',
  });

/** 400: a parameter breaks its rule; `rule` completes "The 'limit' parameter must ...". */
export const invalidParameter = (name: string, rule: string) =>
  new HttpError(400, {
    title: 'Invalid parameter',
    description: `The '${name}' parameter must ${rule}.`,
    code: 'invalid_parameter',
  });

/** 400: the body is invalid; `description` is a sentence. */
export const invalidJson = (description = 'The request body is not a JSON object.') =>
  new HttpError(400, { title: 'Invalid JSON', description, code: 'invalid_json' });

/** 401; the specification fixes the spelling of the title. */
export const unauthenticated = (description = 'Please provide an auth token or login.', code = 'unauthenticated') =>
  new HttpError(401, { title: 'Not authentificated', description, code });

/** 403: the caller is authenticated but does not have this permission. */
export const permissionDenied = (code: string, description: string) =>
  new HttpError(403, { title: 'Permission Denied', description, code });

/** 403: only administrators may do this. */
export const adminRequired: Refusal = () => permissionDenied('admin_required', 'Admin required.');

/** 404: the thing (one word) does not exist, or the caller may not see it. */
export const notFound = (thing: string) =>
  new HttpError(404, { title: 'Not found', description: `No such ${thing}.`, code: `${thing}_not_found` });

/** 405, without a body; `allow` lists the path's methods. */
export const methodNotAllowed = (allow: string) => new HttpError(405, undefined, { allow });

/**
 * 406: the caller does not accept JSON. On paths of the specification, also: the caller does not
 * send JSON.
 */
export const notAcceptable = (docsUrl: string) =>
  new HttpError(406, {
    title: 'Media type not acceptable',
    description: 'This API only supports responses encoded as JSON.',
    code: 'not_acceptable',
    link: { href: `${docsUrl}/api/json`, rel: 'help', text: 'How to ask for JSON and how to send it' },
  });

/** 409: the current state does not allow it. */
export const conflict = (code: string, description: string) => new HttpError(409, { title: 'Conflict', description, code });

/** 410: it existed, but is not kept. */
export const gone = (code: string, description: string) => new HttpError(410, { title: 'Gone', description, code });

/** 412: it differs from the version in the request's `If-Match`. */
export const preconditionFailed: Refusal = () =>
  new HttpError(412, {
    title: 'Precondition failed',
    description: "The resource has changed ('If-Match' does not match). Fetch it again.",
    code: 'precondition_failed',
  });

/** 413: the body has more than `most` bytes. */
export const payloadTooLarge = (most: number) =>
  new HttpError(413, {
    title: 'Payload too large',
    description: `The body must not exceed ${most} bytes.`,
    code: 'body_too_large',
  });

/** 413: the answer is larger than one response can be. */
export const answerTooLarge: Refusal = () =>
  new HttpError(413, {
    title: 'Payload too large',
    description: "The answer would exceed 6 MB: ask for it page by page with the 'limit' parameter.",
    code: 'answer_too_large',
  });

/** 415: the body is not JSON. */
export const unsupportedMediaType = () =>
  new HttpError(415, {
    title: 'Unsupported media type',
    description: "Send a JSON body with 'Content-Type: application/json'.",
    code: 'unsupported_media_type',
  });

/** 416: the range is beyond the file's `size`, in bytes. */
export const rangeNotSatisfiable = (size = 0) =>
  new HttpError(
    416,
    { title: 'Range not satisfiable', description: `The file has ${size} bytes.`, code: 'range_not_satisfiable' },
    { 'Content-Range': `bytes */${size}` },
  );

/** 422: the idempotency key was used for a different request. */
export const keyReused: Refusal = () =>
  new HttpError(422, {
    title: 'Idempotency key reused',
    description: 'The key was used with a different request.',
    code: 'key_reused',
  });

/**
 * 429: too many requests. A retry makes sense after so many seconds (12 in the documentation's
 * example).
 */
export const tooManyRequests = (seconds = 12, headers: Record<string, string> = {}) =>
  new HttpError(
    429,
    { title: 'Too many requests', description: `Too many attempts. Try again ${inTime(seconds)}.`, code: 'too_many_requests' },
    { ...headers, 'Retry-After': String(seconds) },
  );

/** A duration in words, rounded up. */
function inTime(seconds: number): string {
  const [count, unit] =
    seconds <= 90
      ? [seconds, 'second']
      : seconds <= 5_400
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3_600), 'hour'];
  return `in ${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** 500: reveals only the id under which the cause is logged. */
export const internalError = (requestId: string) =>
  new HttpError(500, {
    title: 'Internal error',
    description: `The request failed and has been logged as ${requestId}.`,
    code: 'internal_error',
  });

/** 503: the database is down, hangs or is slow; a retry makes sense. */
export const serviceUnavailable = (description = 'The database did not answer in time.') =>
  new HttpError(503, { title: 'Service unavailable', description, code: 'service_unavailable' }, { 'Retry-After': '2' });

/** 503: the database lacks indexes that this version needs, such as that of unique names. */
export const notPrepared = () =>
  new HttpError(
    503,
    {
      title: 'Service unavailable',
      description: 'The database is not prepared for this version yet. An administrator has to complete the deployment.',
      code: 'not_prepared',
    },
    { 'Retry-After': '10' },
  );

/** One sentence about a failure for a person at a terminal, with advice if the cause is known. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'MongoServerSelectionError')
    return `The database can't be reached (${error.message}): check MONGODB_URI and that the database runs.`;
  return error.message;
}
