import { createHash } from 'node:crypto';
import { Binary } from 'mongodb';
import { HttpError, invalidParameter } from '../errors.ts';
import { Answer, type Input } from '../http/operation.ts';

/** What is stored with a thing that was made under an `Idempotency-Key`, so that a retry finds it; the hash is of the request. */
export type SentOnce = { idempotency_key: string; request_hash?: Binary };

/** The key of a request and a hash of what it asks for; undefined when it has no key. */
export function sentOnce(request: Input['request'], ...asked: unknown[]): Required<SentOnce> | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalidParameter('Idempotency-Key', 'be 1 to 255 visible ASCII characters');
  return { idempotency_key: key, request_hash: new Binary(createHash('sha256').update(JSON.stringify(asked)).digest()) };
}

/** The answer to a retry: the thing as it is now; 422 when the key was used to ask for something else. */
export function replay<T>(first: SentOnce, now: SentOnce, shown: T): Answer<T> {
  // A deleted message has no hash any more: it could tell what the text was.
  if (first.request_hash && first.request_hash.toString('hex') !== now.request_hash?.toString('hex')) throw keyReused();
  return new Answer(shown, { 'Idempotency-Replayed': 'true' });
}

/** 422: the key of a retry was used to ask for something else. */
export const keyReused = () =>
  new HttpError(422, { title: 'Idempotency key reused', description: 'The key was used with a different request.' });
