import type { CreationResult } from '../api/idempotency.ts';
import type { ListPage } from '../api/pages.ts';
import type { Page } from '../reference/page.ts';

/** The answer of an operation that adds headers of its own. */
export class Answer<T = unknown> {
  readonly value: T;
  readonly headers: Record<string, string>;

  constructor(value: T, headers: Record<string, string>) {
    this.value = value;
    this.headers = headers;
  }
}

/** The answer to another program in its own terms: a plain text, or nothing. */
export class PlainAnswer {
  readonly text: string;

  constructor(text = '') {
    this.text = text;
  }
}

/** The answer of JSON-RPC: the status and the body, which is JSON or empty. */
export class RpcAnswer {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    this.status = status;
    this.body = body;
  }
}

/** An answer for people: a page. */
export class PageAnswer {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }
}

/** An answer with more headers. */
export const withHeaders = <T>(answer: T | Answer<T>, headers: Record<string, string>): Answer<T> =>
  answer instanceof Answer ? new Answer(answer.value, { ...answer.headers, ...headers }) : new Answer(answer, headers);

/** The address of a request: its path and its query. */
type RequestTarget = { path: string; query: Record<string, string | undefined> };

/**
 * Answers a page of a list; when there is a next one, with its address (`Link: rel="next"`, RFC
 * 8288).
 */
export const answerList = <T>({ items, next }: ListPage<T>, request: RequestTarget): T[] | Answer<T[]> =>
  withNext(items, request, next === undefined ? undefined : { after: next });

/**
 * Answers with the address of the next page, if there is one. It is this page's address with
 * another start.
 */
export function withNext<T>(value: T, request: RequestTarget, next: Record<string, string> | undefined): T | Answer<T> {
  if (!next) return value;
  const { before, after, around, at, cursor, ...others } = request.query as Record<string, string>;
  return new Answer(value, { Link: `<${request.path}?${new URLSearchParams({ ...others, ...next })}>; rel="next"` });
}

/**
 * Answers with a created resource, and marks a replay if an earlier request with the same key
 * created it.
 */
export const answerCreated = <T>({ value, isReplay }: CreationResult<T>): T | Answer<T> =>
  isReplay ? new Answer(value, { 'Idempotency-Replayed': 'true' }) : value;
