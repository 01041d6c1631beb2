import { createHash } from 'node:crypto';
import { Binary } from 'mongodb';
import { invalidParameter, keyReused } from '../base/errors.ts';

/**
 * The fields that are stored with a thing that was created under an `Idempotency-Key`, so that a retry finds it. The
 * hash is of the request.
 */
export type IdempotencyFields = { idempotency_key: string; request_hash?: Binary };

/** The key of a request, and a hash of what it asks for. */
export type IdempotencyKey = Required<IdempotencyFields>;

/** A thing that was created, by this request or by an earlier one with the same key. */
export type CreationResult<T> = { value: T; isReplay: boolean };

/** Reads the key of a request that asks for `asked`; undefined when it has none. */
export function idempotencyKeyOf(headers: Record<string, string | undefined>, ...asked: unknown[]): IdempotencyKey | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalidParameter('Idempotency-Key', 'be 1 to 255 visible ASCII characters');
  return { idempotency_key: key, request_hash: new Binary(createHash('sha256').update(JSON.stringify(asked)).digest()) };
}

/** Refuses, with 422, a key that was first used to ask for something else. */
export function requireSameRequest(first: Partial<IdempotencyFields>, retry: IdempotencyKey): void {
  // A deleted message no longer has a hash, because the hash could tell what its text was.
  if (first.request_hash && first.request_hash.toString('hex') !== retry.request_hash.toString('hex')) throw keyReused();
}
