import { limits } from '../../api/limits.ts';
import { answerTooLarge } from '../../base/errors.ts';
import type { ApiResponse, Step } from '../request.ts';

/** Turns a response that is larger than Lambda carries into a 413; stands above `compression()`, which may make it fit. */
export function responseSize(): Step {
  return {
    after: function refuseLargeAnswer({ response }) {
      if (response && !fits(response)) throw answerTooLarge();
    },
  };
}

// A character takes at most three bytes, as text or with its escape: only what is above a third of the limit needs measuring.
const fits = (response: ApiResponse) =>
  (response.body?.length ?? 0) * 3 < limits.response - roomForHeaders ||
  Buffer.byteLength(JSON.stringify(response)) <= limits.response - roomForHeaders;

// The headers that the steps above this one add later: ids, CORS and security headers, far less than a gateway's 10
// KiB.
const roomForHeaders = 10_240;
