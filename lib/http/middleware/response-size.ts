import { limits } from '../../api/limits.ts';
import { answerTooLarge } from '../../base/errors.ts';
import type { ApiResponse, Step } from '../request.ts';

/**
 * Replaces a response that exceeds Lambda's limit with a 413. It is outside `compression()`, which
 * may make the response fit.
 */
export function responseSize(): Step {
  return {
    after: function refuseLargeAnswer({ response }) {
      if (response && !fits(response)) throw answerTooLarge();
    },
  };
}

// A character needs at most three bytes, as text or escaped. So only bodies above a third of the
// limit need measuring.
const fits = (response: ApiResponse) =>
  (response.body?.length ?? 0) * 3 < limits.response - roomForHeaders ||
  Buffer.byteLength(JSON.stringify(response)) <= limits.response - roomForHeaders;

// Space for the headers that the outer middlewares add later: ids, CORS and security headers. They
// are far below a gateway's limit of 10 KiB.
const roomForHeaders = 10_240;
