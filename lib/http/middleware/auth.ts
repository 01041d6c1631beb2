import { before } from '../../deadline.ts';
import { notAuthentificated } from '../../errors.ts';
import { findCaller } from '../../identity/tokens.ts';
import type { Operations } from '../operation.ts';
import { type Authenticated, methodOf, type Step } from '../request.ts';

/** Finds out who calls, by `X-Auth-Token`: 401 without a valid one, unless the operation is for anyone, who may be known or not. */
export function auth(operations: Operations): Step<Authenticated> {
  const isForAnyone = (method: string) => Object.hasOwn(operations, method) && operations[method]?.access === 'anyone';

  return {
    before: async function authenticate({ event }) {
      event.caller = await before(event.deadline, findCaller(event.headers['x-auth-token']));
      if (!event.caller && !isForAnyone(methodOf(event))) throw notAuthentificated();
    },
  };
}
