import type { ErrorBody } from './contract.ts';

export type { ErrorBody };

/**
 * The failure of a call: the status and the body of the response, or status 0 and the `cause` if
 * there was no response.
 */
export class ChatError extends Error {
  override name = 'ChatError';
  readonly status: number;
  readonly body: ErrorBody | undefined;
  /** The error code for programs: `room_archived`, `history_replaced`, ... */
  readonly code: string | undefined;

  constructor(status: number, body?: ErrorBody, unanswered?: { address: string; cause: unknown }) {
    super(
      unanswered
        ? `No answer from ${unanswered.address}: ${reasonOf(unanswered.cause)}`
        : (body?.description ?? `The service answered ${status}.`),
      unanswered && { cause: unanswered.cause },
    );
    this.status = status;
    this.body = body;
    this.code = body && 'code' in body ? body.code : undefined;
  }

  /** True if the same call may succeed later, because the request was valid. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

// `fetch` of Node.js has the reason in the error's cause.
const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.cause instanceof Error && error.cause.message) || error.message : String(error);

/**
 * The exception for an error response. If the response is not the service's own, e.g. a proxy's
 * page, its body is ignored.
 */
export function errorOf({ status }: Response, error: unknown): ChatError {
  const isOwn = typeof error === 'object' && error !== null && 'title' in error && 'description' in error;
  return new ChatError(status, isOwn ? (error as ErrorBody) : undefined);
}

/**
 * The data of a successful call: `const rooms = await unwrap(chat.GET('/api/rooms'))`. Throws a
 * `ChatError` if the call failed.
 */
export async function unwrap<T>(
  call: Promise<{ data?: T; error?: ErrorBody | undefined; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (!response.ok) throw errorOf(response, error);
  return data as NonNullable<T>;
}
