import { createHash } from 'node:crypto';
import { Binary } from 'mongodb';
import { invalidParameter, keyReused } from '../base/errors.ts';

/**
 * The fields stored with a document that was created under an `Idempotency-Key`, so that a retry
 * finds it. `request_hash` is the hash of the request.
 */
export type IdempotencyFields = { idempotency_key: string; request_hash?: Binary };

/** The key of a request, and the hash of the request. */
export type IdempotencyKey = Required<IdempotencyFields>;

/** A created document; `isReplay` if an earlier request with the same key created it. */
export type CreationResult<T> = { value: T; isReplay: boolean };

/** The form of a key, and the rule that names it. */
export const keyPattern = /^[\x21-\x7e]{1,255}$/;
export const keyRule = 'be 1 to 255 visible ASCII characters';

/** Reads the key of a request and hashes its values, `asked`; undefined without a key. */
export function idempotencyKeyOf(headers: Record<string, string | undefined>, ...asked: unknown[]): IdempotencyKey | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) throw invalidParameter('Idempotency-Key', keyRule);
  return { idempotency_key: key, request_hash: new Binary(createHash('sha256').update(JSON.stringify(asked)).digest()) };
}

/** Refuses, with 422, a key that was first used for a different request. */
export function requireSameRequest(first: Partial<IdempotencyFields>, retry: IdempotencyKey): void {
  // A deleted message loses its hash, because the hash could reveal its text.
  if (first.request_hash && first.request_hash.toString('hex') !== retry.request_hash.toString('hex')) throw keyReused();
}
