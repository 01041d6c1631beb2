import { withDeadline } from '../../deadline.ts';
import { unauthenticated } from '../../errors.ts';
import { findCaller } from '../../identity/authenticate.ts';
import type { Operations } from '../operation.ts';
import { type Authenticated, methodOf, type Step } from '../request.ts';
import { tokenOf } from '../session-cookie.ts';

/** Finds the caller by the token of the request: 401 without a valid one, unless the operation is for anyone. */
export function auth(operations: Operations): Step<Authenticated> {
  const isForAnyone = (method: string) => Object.hasOwn(operations, method) && operations[method]?.access === 'anyone';

  return {
    before: async function authenticate({ event }) {
      event.caller = await withDeadline(event.deadline, () => findCaller(tokenOf(event)));
      if (!event.caller && !isForAnyone(methodOf(event))) throw unauthenticated();
    },
  };
}
