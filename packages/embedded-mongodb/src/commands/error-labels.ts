import { Int32 } from 'bson';
import type { Doc, Value } from '../query/value.ts';

/** Errors after which a driver may send a numbered write again. */
const RETRYABLE = new Set([6, 7, 89, 91, 134, 189, 262, 358, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Labels the answer to a failed command as MongoDB does, or as a fail point says. */
export function labelErrors(reply: Doc, args: Doc, given: Value[] | undefined): Doc {
  const labels = given ?? (args.has('txnNumber') && isRetryable(reply) ? ['RetryableWriteError'] : []);
  return labels.length === 0 ? reply : reply.set('errorLabels', labels);
}

function isRetryable(reply: Doc): boolean {
  const concern = reply.get('writeConcernError');
  const codes = [reply.get('code'), concern instanceof Map ? concern.get('code') : undefined];
  return codes.some((code) => code instanceof Int32 && RETRYABLE.has(code.value));
}
