import { limits } from '../../api/limits.ts';
import type { Step } from '../request.ts';

/** Sets the request's id and deadline, and adds `X-Request-Id` to every response. */
export function requestId(): Step {
  return {
    before: function giveRequestId({ event, context }) {
      event.requestId = context.awsRequestId;
      // A request that had to queue has less time left.
      const left = context.getRemainingTimeInMillis?.() ?? limits.requestTime;
      event.deadline = performance.now() + Math.min(limits.requestTime, left);
    },
    after: addRequestId,
    onError: addRequestId,
  };
}

const addRequestId: NonNullable<Step['after']> = ({ event, response }) => {
  if (response) response.headers['X-Request-Id'] = event.requestId;
};
