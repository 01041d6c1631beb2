import { answerTooLarge } from '../../errors.ts';
import { type ApiResponse, largestResponse, type Step } from '../request.ts';

/** Refuses, with 413, an answer that Lambda would break off; stands above `compression()`, which may make it fit. */
export function responseSize(): Step {
  return {
    after: function refuseLargeAnswer({ response }) {
      if (response && !fits(response)) throw answerTooLarge();
    },
  };
}

// A character takes at most three bytes, as text or with its escape: only what is above a third of the limit needs measuring.
const fits = (response: ApiResponse) =>
  (response.body?.length ?? 0) * 3 < largestResponse - roomForHeaders ||
  Buffer.byteLength(JSON.stringify(response)) <= largestResponse - roomForHeaders;

// What the steps above this one still add: ids, CORS and security headers, far less than a gateway's 10 KiB.
const roomForHeaders = 10_240;
