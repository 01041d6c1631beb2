import type { Step } from '../request.ts';

/** Adds `RateLimit` and `RateLimit-Policy` to the responses to counted requests. */
export function rateFields(): Step {
  return { after: addRateFields, onError: addRateFields };
}

const addRateFields: NonNullable<Step['after']> = ({ event, response }) => {
  if (response && event.rate) Object.assign(response.headers, event.rate);
};
