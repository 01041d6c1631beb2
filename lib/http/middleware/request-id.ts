import { requestDeadline } from '../../deadline.ts';
import type { Step } from '../request.ts';

/** Gives the request its id and its deadline, and every answer `X-Request-Id`. */
export function requestId(): Step {
  return {
    before: function giveRequestId({ event, context }) {
      event.requestId = context.awsRequestId;
      // Who waited for a turn has less.
      const left = context.getRemainingTimeInMillis?.() ?? requestDeadline;
      event.deadline = performance.now() + Math.min(requestDeadline, left);
    },
    after: addRequestId,
    onError: addRequestId,
  };
}

const addRequestId: NonNullable<Step['after']> = ({ event, response }) => {
  if (response) response.headers['X-Request-Id'] = event.requestId;
};
