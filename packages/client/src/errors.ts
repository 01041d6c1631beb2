import type { ErrorBody } from './contract.ts';

export type { ErrorBody };

/** An answer that is an error, for those who would rather catch: its status, and its body, whose `title` tells the variants apart. */
export class ChatError extends Error {
  override name = 'ChatError';
  readonly status: number;
  readonly body: ErrorBody | undefined;

  constructor(status: number, body: ErrorBody | undefined) {
    super(body?.description ?? `The service answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** What a call answered, or a `ChatError`: `const rooms = await unwrap(chat.GET('/api/rooms'))`. */
export async function unwrap<T>(
  call: Promise<{ data?: T; error?: ErrorBody | undefined; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ChatError(response.status, error);
  return data as NonNullable<T>;
}
