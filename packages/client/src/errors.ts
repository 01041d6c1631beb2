import type { ErrorBody } from './contract.ts';

export type { ErrorBody };

/** An error response as an exception: its status, and its body, whose `title` names the kind of error. */
export class ChatError extends Error {
  override name = 'ChatError';
  readonly status: number;
  readonly body: ErrorBody | undefined;
  /** Of a 403, a 409 or a 410, what went wrong: `room_archived`, `history_replaced`, ... */
  readonly code: string | undefined;

  constructor(status: number, body: ErrorBody | undefined) {
    super(body?.description ?? `The service answered ${status}.`);
    this.status = status;
    this.body = body;
    this.code = body && 'code' in body ? body.code : undefined;
  }
}

/** The exception for an error response; without a body where that is not the service's own, but a proxy's page. */
export function errorOf({ status }: Response, error: unknown): ChatError {
  const isOwn = typeof error === 'object' && error !== null && 'title' in error && 'description' in error;
  return new ChatError(status, isOwn ? (error as ErrorBody) : undefined);
}

/** The data of a successful call; throws a `ChatError` otherwise: `const rooms = await unwrap(chat.GET('/api/rooms'))`. */
export async function unwrap<T>(
  call: Promise<{ data?: T; error?: ErrorBody | undefined; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (!response.ok) throw errorOf(response, error);
  return data as NonNullable<T>;
}
